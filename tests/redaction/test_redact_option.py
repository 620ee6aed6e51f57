"""`--redact` of the reading commands: one secret, one home and one author, and none of them in any answer."""

from pathlib import Path

import pytest
from command import said
from make import Draft, bash, home, write

TOKEN = "ghp_" + "Fak3" * 9
SECRET = "hunter2xZ9"  # noqa: S105 - no real password
PRIVATE = (TOKEN, SECRET, "nora", "Quist")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Make a home in which every field of a session holds something private."""
    directory = home(tmp_path)
    (directory / ".gitconfig").write_text("[user]\n\tname = Nora Quist\n\temail = nora@quist.example\n")
    draft = Draft("5d1a7b92-33c8-4e90-a6f4-2b8c7d9e0a04", cwd="/home/nora/shop")
    draft.prompt(f"{'padding ' * 30} deploy with {TOKEN} for Nora Quist")
    calls = [
        bash(f"export DB_PASSWORD={SECRET} && curl -H 'Authorization: Bearer {TOKEN}'", f"sent {TOKEN} as nora"),
        write("/home/nora/shop/settings.py", f'API = "{TOKEN}"\nPASSWORD = "{SECRET}"\n'),
    ]
    draft.answer(f"Done with {TOKEN}.", calls=calls).write(directory)
    return directory


COMMANDS = [
    ["show", "latest"],
    ["show", "latest", "--full"],
    ["show", "latest", "--json"],
    ["show", "latest", "--jsonl"],
    ["show", "latest", "--format", "html"],
    ["show", "latest", "--format", "md"],
    ["show", "latest", "--offset", "0"],
    ["search", "deploy"],
    ["search", "deploy", "--json", "--context", "2"],
    ["search", TOKEN, "--exact", "--json"],
    ["search", "sent", "--all-hits"],
    ["calls", "latest", "--full"],
    ["calls", "--json"],
    ["files", "--patch", "latest"],
    ["recover", "settings.py", "--print"],
    ["recover", "settings.py", "--print", "--json"],
]


@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
def test_no_answer_holds_anything_private(root: Path, arguments: list[str]) -> None:
    """With --redact an answer has pseudonyms in place of secrets and identities."""
    code, out, _ = said("--root", root, *arguments, "--redact")
    assert code == 0
    assert [word for word in PRIVATE if word.lower() in out.lower()] == []
    assert "⟨" in out or r"\u27e8" in out


def test_without_the_option_nothing_is_replaced(root: Path) -> None:
    """Without --redact the same answer holds the secret."""
    assert TOKEN in said("--root", root, "show", "latest", "--full")[1]


@pytest.mark.parametrize("arguments", [["files"], ["recover", "settings.py"], ["show", "latest", "--raw"]])
def test_the_option_is_refused_where_it_has_no_effect(root: Path, arguments: list[str]) -> None:
    """A command that would not redact says so instead of printing secrets."""
    assert said("--root", root, *arguments, "--redact")[0] == 2


def test_a_snippet_is_cut_from_the_redacted_text(root: Path) -> None:
    """A search for a piece of a secret shows none of it, though its match is inside the secret."""
    _, out, _ = said("--root", root, "search", "Fak3Fak3", "--exact", "--redact", "--json")
    assert '"snippet"' in out
    assert "Fak3" not in out.replace('"query": "Fak3Fak3"', "")


@pytest.mark.parametrize("shown", range(4, len(TOKEN), 6))
def test_no_label_or_title_ends_in_half_a_secret(tmp_path: Path, shown: int) -> None:
    """Labels of branches are cut before they are redacted; the word at the cut goes, wherever it is cut."""
    words = "w" * (80 - shown - 1)
    Draft("5d1a7b92-33c8-4e90-a6f4-2b8c7d9e0a04", cwd="/home/nora/shop").prompt(f"{words} {TOKEN}").write(
        home(tmp_path)
    )
    out = said("--root", tmp_path, "show", "latest", "--redact", "--json")[1]

    assert f'"label": "{words} …"' in out
    assert TOKEN[:8] not in out
