"""A session as a Markdown document."""

from collections.abc import Iterator
from typing import Any

import pytest
from views import samples
from views.samples import call_part, message, paper, result_part, transcript

from backscroll.sessions.message import Message, Part
from backscroll.views.markdown import code_span, document, fenced, plain, safe_markdown


def written(*messages: Message, is_full: bool = False, **changes: Any) -> str:
    """Return a session as Markdown, without its header."""
    text = "".join(document(transcript(messages, **changes), paper(None, is_full=is_full)))
    return text.split("\n\n", 2)[2]


def test_a_conversation() -> None:
    """Speakers are headings, calls are bold, what tools gave is fenced."""
    found = written(
        message("user", "Why?"),
        message("assistant", "**Look**", call_part("Bash", {"command": "make"})),
        message("tool", result_part("2 failed", error=True)),
        message("assistant", "So."),
    )

    assert found == (
        "## You, 2026-05-03 09:30\n\nWhy?\n\n"
        "## Claude, 2026-05-03 09:30\n\n**Look**\n\n**Bash** `make`\n\n*failed*\n\n```\n2 failed\n```\n\nSo.\n\n"
    )


def test_each_result_stands_under_its_call() -> None:
    """Parallel results stand under their calls; a late one names its call."""
    calls = [call_part("Bash", {"command": f"run {name}"}, name) for name in ("one", "two", "late")]
    answers = [message("tool", result_part(f"answer {name}", name)) for name in ("two", "one")]
    late = [message("user", "meanwhile"), message("tool", result_part("answer late", "late"))]
    found = written(message("assistant", *calls), *answers, *late)

    assert found.index("run one") < found.index("answer one") < found.index("run two") < found.index("answer two")
    assert "\n\nResult of **Bash** `run late`\n\n```\nanswer late\n```\n\n" in found
    assert 3 == found.count("answer")


def test_the_head_has_cost_tokens_branch_and_version() -> None:
    """The head tells the facts that people ask for first."""
    session = samples.session(branch="fix/tides", version="2.1.112")
    session.usage.cost = 6.84
    head = "".join(document(transcript([], session=session), paper(None)))

    assert "- Git branch: fix/tides\n" in head
    assert "- Tokens: 1.2 M\n- Cost: $6.84\n" in head


def test_fences_are_longer_than_any_inside() -> None:
    """Code that holds fences cannot end its own."""
    assert "`````\n````\nx\n````\n`````\n\n" == fenced("````\nx\n````")
    assert "`` a`b ``" == code_span("a`b")


def test_an_open_fence_is_closed() -> None:
    """A message that forgets to close its fence does not swallow the next one."""
    assert "```py\nx\n```" == safe_markdown("```py\nx")


@pytest.mark.parametrize(
    "text, safe",
    [
        ("<script>x</script>", "&lt;script>x&lt;/script>"),
        ("<!-- x -->", "&lt;!-- x -->"),
        ("a < b", "a < b"),
        ("`<b>` <b>", "`<b>` &lt;b>"),
        ("[a](javascript:x)", "[a]\\(javascript:x)"),
        ("[a](https://x)", "[a](https://x)"),
        ("![i](http://127.0.0.1:9/beacon.png)", "\\![i](http://127.0.0.1:9/beacon.png)"),
        ("# head", "### head"),
        ("```\n<b>\n```", "```\n<b>\n```"),
    ],
)
def test_markdown_of_others_is_neutralised(text: str, safe: str) -> None:
    """Raw HTML, remote images and other links are text; headings stand below ours; code stays code."""
    assert safe == safe_markdown(text)


def test_titles_are_text() -> None:
    """A title cannot be mark-up."""
    assert "\\# \\[a\\](x) &lt;b\\> \\`c\\`" == plain("# [a](x)\n<b> `c`")


def test_calls_carry_what_they_carry() -> None:
    """Diffs, files, scripts, plans and lists stand below their call."""
    found = written(
        message(
            "assistant",
            call_part("Edit", {"file_path": "/a", "old_string": "a", "new_string": "b"}),
            call_part("Write", {"file_path": "/a", "content": "hello"}),
            call_part("Bash", {"command": "a\nb"}),
            call_part("ExitPlanMode", {"plan": "# Plan"}),
            call_part("TodoWrite", {"todos": [{"content": "one", "status": "completed"}]}),
        )
    )

    for part in ("```diff\n-a\n+b\n```", "```\nhello\n```", "```bash\na\nb\n```", "### Plan", "- ☑ one"):
        assert part in found


def test_the_rest() -> None:
    """Thinking is quoted, images are labels, marks and damage are said; unknown parts are whole only in full."""
    messages = [
        message("assistant", Part("thinking", "hmm\n\nso"), Part("image", None, {"media_type": "image/png"})),
        message("user", Part("other", None, {"type": "x", "raw": {"a": 1}}), marks=["gap", "fork b1"]),
        message("tool", result_part("")),
    ]
    found = written(*messages, damage=[samples.damage()])

    for part in ("> *Thinking*\n>\n> hmm\n>\n> so", "*\\[image image/png\\]*", "*gap: the record before is missing*"):
        assert part in found
    for part in (
        "*fork: branch b1 leaves here: backscroll show c9258e92 --branch b1*",
        "*no output*",
        "- /t.jsonl:7 (byte 1200): not JSON",
    ):
        assert part in found
    assert '{"a": 1}' not in found
    assert '{"a": 1}' in written(*messages, is_full=True)


def test_it_streams() -> None:
    """The document begins before its messages end."""
    read = 0

    def messages() -> Iterator[Message]:
        nonlocal read
        while read < 10_000:
            read += 1
            yield message("user", "hi")

    pieces = document(transcript(messages()), paper(None))
    for _ in range(6):
        next(pieces)

    assert 0 < read < 10
