"""The audit: from records to the total, what is left out, and what Claude Code itself recorded."""

from pathlib import Path
from typing import Any

import pytest
from command import answer, run
from conftest import shared_path
from make import UUID, Draft, assistant, home, indexed, line, write_transcript

from backscroll.stats.audit import report
from backscroll.stats.model import Audit
from backscroll.stats.prices import load_prices

OTHER = "22222222-2222-4222-8222-222222222222"
PRICES = load_prices()
STATED = {"inputTokens": 4, "outputTokens": 1, "cacheReadInputTokens": 0, "cacheCreationInputTokens": 0}


def audited(root: Path, session: str | None = None) -> Audit:
    """Return the audit of a home, or of one session in it."""
    return report(indexed(root), session, PRICES)


def answered(state: dict[str, Any] | None = None, cost: float = 0.0) -> list[bytes]:
    """Return a transcript of one answer of 4 + 1 tokens, $0.000036, and what Claude Code says of it."""
    record = assistant("a1", api="msg_0123456789abcdef", output=1, timestamp="2026-05-01T12:00:00.000Z")
    record["message"] |= {"model": "claude-opus-5-5", "usage": {"input_tokens": 4, "output_tokens": 1}}
    stated = {"type": "cost-state", "totalCostUSD": cost, "modelUsage": state or {}}
    return [line(record)] if state is None else [line(record), line(stated)]


def reasons(root: Path) -> list[str]:
    """Return why the one recorded cost of a home differs."""
    (comparison,) = audited(root).comparisons
    return comparison.reasons


def test_the_way_from_records_to_messages(tmp_path: Path) -> None:
    """Records minus repetitions minus copies are the messages that count; what costs nothing is counted apart."""
    draft = Draft(UUID).prompt("A").answer("B", thinking="C").api_error("Overloaded")
    draft.write(home(tmp_path))
    draft.fork(OTHER).prompt("C").answer("D").write(tmp_path)
    found = audited(tmp_path)

    assert (5, 2, 1, 2, 2) == (found.records, found.repeated, found.copies, found.counted, found.synthetic)
    assert found.records - found.repeated - found.copies == found.counted == found.total.messages


def test_copies_name_the_file_that_was_first(tmp_path: Path) -> None:
    """What a fork holds of another session is shown with its amount and with where it was written first."""
    draft = Draft(UUID).prompt("A").answer("B")
    path = draft.write(home(tmp_path))
    draft.fork(OTHER).prompt("C").answer("D").write(tmp_path)
    (copied,) = audited(tmp_path).copied

    assert (OTHER, UUID, str(path), 1) == (
        copied.session,
        copied.first_session,
        copied.first_transcript,
        copied.amount.messages,
    )
    assert [] == audited(tmp_path, UUID).copied
    assert 1 == len(audited(tmp_path, OTHER).copied)


def test_every_message_of_a_session(tmp_path: Path) -> None:
    """Each message is shown with its line and why it counts or does not, and those that count are the total."""
    draft = Draft(UUID).prompt("A").answer("B", thinking="T")
    path = draft.write(home(tmp_path))
    draft.fork(OTHER).prompt("C").answer("D").write(tmp_path)
    found = audited(tmp_path, OTHER)
    copy, counted = found.messages

    assert [False, True] == [copy.counted, counted.counted]
    assert ("copy: another session holds the original", UUID, 2) == (copy.reason, copy.first_session, copy.records)
    assert copy.first_place is not None
    assert (str(path), True) == (copy.first_place.path, copy.first_place.line is not None)
    assert found.total.output == counted.usage.output
    assert found.total.cost == counted.usage.cost


def test_placeholders_are_named(tmp_path: Path) -> None:
    """A message whose output is a placeholder counts, and the audit says so."""
    Draft(UUID, version="2.1.88").prompt("A").answer("B").write(home(tmp_path))
    found = audited(tmp_path, UUID)

    assert 1 == found.total.lower_bound_messages
    assert ["counted; its output is a placeholder"] == [message.reason for message in found.messages]


def test_a_copy_in_a_file_set_aside(tmp_path: Path) -> None:
    """The same message in another file of the same session is a record that repeats it, not a second one."""
    draft = Draft(UUID).prompt("A").answer("B")
    path = draft.write(home(tmp_path))
    path.with_name(f"{path.name}.superseded-1780000000000").write_bytes(draft.text())
    found = audited(tmp_path)

    assert (2, 1, 1) == (found.records, found.repeated + found.copies, found.counted)


def test_unpriced_models(tmp_path: Path) -> None:
    """A model without price is named with what it spent."""
    write_transcript(home(tmp_path), "-p", UUID, [line(assistant("a1", api="msg_0123456789abcdef", output=3))])

    assert [("claude-x", 1, 3)] == [(item.model, item.messages, item.output) for item in audited(tmp_path).unpriced]


def test_a_recorded_cost_that_agrees(tmp_path: Path) -> None:
    """The last cost state of a session counts; where it is ours, nothing needs a reason."""
    lines = [
        *answered({"claude-opus-5-5": STATED | {"inputTokens": 1}}, 7.0),
        *answered({"claude-opus-5-5": STATED}, 0.000036)[1:],
    ]
    write_transcript(home(tmp_path), "-p", UUID, lines)
    (comparison,) = audited(tmp_path).comparisons

    assert (True, [], "cost-state") == (comparison.is_equal, comparison.reasons, comparison.source)
    assert 0.000036 == comparison.recorded == comparison.computed == comparison.repriced


def test_requests_that_no_transcript_records(tmp_path: Path) -> None:
    """Tokens that Claude Code counted and no transcript holds are the reason, by model."""
    state = {"claude-opus-5-5": STATED | {"outputTokens": 11}, "claude-haiku-5-5": STATED}
    write_transcript(home(tmp_path), "-p", UUID, answered(state, 0.0002369))

    assert [
        "no transcript records 10 tokens of claude-opus-5-5",
        "no transcript records 5 tokens of claude-haiku-5-5",
    ] == reasons(tmp_path)[:2]


def test_a_sum_that_was_written_too_early(tmp_path: Path) -> None:
    """Tokens that Claude Code had not yet counted are the reason too."""
    write_transcript(home(tmp_path), "-p", UUID, answered({"claude-opus-5-5": STATED | {"outputTokens": 0}}, 0.000016))

    assert ["Claude Code's last sum does not include 1 tokens of claude-opus-5-5 that the transcripts hold"] == reasons(
        tmp_path
    )


def test_other_prices(tmp_path: Path) -> None:
    """Where the same tokens had another price, that is the reason."""
    write_transcript(home(tmp_path), "-p", UUID, answered({"claude-opus-5-5": STATED}, 0.5))

    assert [
        "Claude Code's own tokens cost $0.000036 at our prices: long prompts, fast mode or other prices"
    ] == reasons(tmp_path)


def test_a_model_that_only_claude_code_has_a_price_for(tmp_path: Path) -> None:
    """A model without price here is the reason."""
    write_transcript(home(tmp_path), "-p", UUID, answered({"claude-opus-5-5": STATED, "new-model": STATED}, 0.5))

    assert "Claude Code has a price for a model that has no price here" in reasons(tmp_path)


@pytest.mark.parametrize("state", [{"claude-opus-5-5": "much"}, {"claude-opus-5-5": {"inputTokens": "4"}}, {"a": None}])
def test_a_broken_cost_state(tmp_path: Path, state: dict[str, Any]) -> None:
    """A cost state of any shape is compared as far as it goes."""
    write_transcript(home(tmp_path), "-p", UUID, answered(state, 0.5))

    assert reasons(tmp_path)


def test_costs_of_messages(tmp_path: Path) -> None:
    """Prices that single messages carry are summed up and compared; messages without one are named."""
    first, second = (assistant(f"a{n}", api=f"msg_0123456789abcdef{n}", version="1.0.0") for n in (1, 2))
    for record in (first, second):
        record["message"] |= {"model": "claude-opus-5-5", "usage": {"input_tokens": 4, "output_tokens": 1}}
    write_transcript(home(tmp_path), "-p", UUID, map(line, [first | {"costUSD": 0.000036}, second]))
    write_transcript(
        tmp_path,
        "-p",
        OTHER,
        [line(second | {"costUSD": 1.0} | {"message": second["message"] | {"id": "msg_0123456789abcdef3"}})],
    )
    found = {item.session: item for item in audited(tmp_path).comparisons}

    assert ("costUSD", False, ["1 of its messages record no price"]) == (
        found[UUID].source,
        found[UUID].is_equal,
        found[UUID].reasons,
    )
    assert ["prices were different then, or the model has no known price"] == found[OTHER].reasons


@pytest.mark.corpus
@pytest.mark.parametrize(
    "name",
    [
        "cli-1.0.0-headless",
        "cli-2.1.325-headless",
        "cli-2.1.325-interactive-branch-mcp-worktree",
        "cli-2.1.325-interactive-clear-rewind",
        "cli-2.1.325-interactive-compact",
        "cli-2.1.325-interactive-hooks-subagents",
        "project-dir-encoding-2.1.325",
        "resume-2.1.325",
    ],
)
def test_our_prices_are_those_of_claude_code(name: str) -> None:
    """The tokens that Claude Code counted cost here what it recorded, and every other difference has its reason."""
    comparisons = audited(shared_path(f"corpus/cli/{name}")).comparisons

    assert comparisons
    for item in comparisons:
        assert item.recorded == pytest.approx(item.repriced, abs=1e-9)
        assert item.is_equal == (not item.reasons)


DOUBTED: dict[str, dict[str, Any]] = {
    "output_tokens is a fraction": {"output_tokens": 1.5},
    "output_tokens is text": {"output_tokens": "7"},
    "input_tokens is negative": {"input_tokens": -1},
    "input_tokens is over 1,000,000,000": {"input_tokens": 10**15 + 1},
    "input_tokens is true or false": {"input_tokens": True},
    "cache_creation.ephemeral_5m_input_tokens is negative": {"cache_creation": {"ephemeral_5m_input_tokens": -5}},
    "server_tool_use.web_search_requests is a list": {"server_tool_use": {"web_search_requests": []}},
}


@pytest.mark.parametrize("reason", DOUBTED)
def test_counts_that_are_not_believed_are_named(tmp_path: Path, reason: str) -> None:
    """A token count that is no plain whole number is named with its place, and is unknown in the total."""
    record = assistant("a1", api="msg_0123456789abcdef")
    record["message"]["usage"] = {"input_tokens": 4, "output_tokens": 1, **DOUBTED[reason]}
    path = write_transcript(home(tmp_path), "-p", UUID, [line(assistant("a0")), line(record)])
    (item,) = answer(tmp_path, "usage", "--audit")["doubted"]

    assert (str(path), 2) == (item["place"]["path"], item["place"]["line"])
    assert f"token count ignored: {reason}" == item["reason"]
    assert f"{reason}\n".encode() in run("--root", tmp_path, "usage", "--audit").stdout


def test_usage_that_is_no_object(tmp_path: Path) -> None:
    """Usage of another type is named, too."""
    record = assistant("a1")
    record["message"]["usage"] = [1]
    write_transcript(home(tmp_path), "-p", UUID, [line(record)])

    assert ["token count ignored: usage is not an object"] == [item.reason for item in audited(tmp_path).doubted]


def test_records_that_could_not_be_counted_are_named(tmp_path: Path) -> None:
    """Places in transcripts that cannot be read are named: of everything, or of the session that is asked for."""
    torn = write_transcript(home(tmp_path), "-p", UUID, [line(assistant("a1")), b'{"type": "assistant", torn\n'])
    write_transcript(tmp_path, "-p", OTHER, [line(assistant("a2")), b"null\n"])
    everything = answer(tmp_path, "usage", "--audit")["uncounted"]
    (own,) = answer(tmp_path, "usage", "--audit", "--session", UUID)["uncounted"]

    assert 2 == len(everything)
    assert (str(torn), 2) == (own["place"]["path"], own["place"]["line"])
    assert b"Not counted: places that could not be read" in run("--root", tmp_path, "usage", "--audit").stdout


def test_many_places_are_cut_in_the_report_only(tmp_path: Path) -> None:
    """The report names twenty places and the number of the others; the JSON names all."""
    lines = [text for number in range(30) for text in (line(assistant(f"a{number}")), b"%d\n" % number)]
    write_transcript(home(tmp_path), "-p", UUID, lines)

    assert 30 == len(answer(tmp_path, "usage", "--audit")["uncounted"])
    assert b"and 10 more, see --json" in run("--root", tmp_path, "usage", "--audit").stdout


def test_counts_of_a_growing_transcript(tmp_path: Path) -> None:
    """A count that is appended later is named as well, though the transcript is not read from its start."""
    path = write_transcript(home(tmp_path), "-p", UUID, [line(assistant("a1"))])
    assert [] == answer(tmp_path, "usage", "--audit")["doubted"]
    record = assistant("a2", "a1")
    record["message"]["usage"] = {"output_tokens": -3}
    path.write_bytes(path.read_bytes() + line(record))

    assert [2] == [item["place"]["line"] for item in answer(tmp_path, "usage", "--audit")["doubted"]]
