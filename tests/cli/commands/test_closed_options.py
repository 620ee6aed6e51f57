"""A slip is not an empty answer: closed options and fields refuse unknown values and list the known ones."""

from pathlib import Path

import pytest
from command import said
from make import UUID, Draft, home, row


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a home with one session and a row of one account."""
    Draft(UUID, "/srv/shop").prompt("words").answer("Yes.").write(home(tmp_path))
    row(tmp_path, cliSessionId=UUID)
    return tmp_path


@pytest.mark.parametrize(
    "arguments, known",
    [
        (("list", "--state", "lve"), "'ghost'"),
        (("list", "--store", "cod"), "'cowork'"),
        (("search", "x", "--role", "me"), "'assistant'"),
        (("search", "x", "--kind", "thought"), "'thinking'"),
        (("search", "x", "--store", "cod"), "'cowork'"),
        (("usage", "--store", "cod"), "'cowork'"),
        (("tools", "--store", "cod"), "'cowork'"),
        (("search", "x role:me"), "assistant"),
        (("search", "x -kind:thought"), "thinking"),
        (("search", "x is:wrong"), "error"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else None,
)
def test_unknown_values_are_refused(root: Path, arguments: tuple[str, ...], known: str) -> None:
    """An unknown value is wrong use, and the known values are listed."""
    code, out, err = said("--root", root, *arguments)

    assert (2, "") == (code, out)
    assert known in err


def test_values_may_have_any_case(root: Path) -> None:
    """Known values are taken in capitals, too."""
    assert 0 == said("--root", root, "list", "--state", "LIVE")[0]
    assert 0 == said("--root", root, "search", "words", "role:User")[0]


@pytest.mark.parametrize("command", [("list",), ("usage",), ("tools",), ("search", "words")], ids=" ".join)
@pytest.mark.parametrize("account", ["nobody", "nobody@example.com"])
def test_an_unknown_account_is_named(root: Path, command: tuple[str, ...], account: str) -> None:
    """An account that nothing names is not found, and the known ones are listed."""
    code, out, err = said("--root", root, *command, "--account", account)

    assert (1, "") == (code, out)
    assert f"no such account: {account}\n  Known accounts: " in err


@pytest.mark.parametrize("query", ["account:nobody", "-account:nobody", "hello account:nobody@example.com"])
def test_an_unknown_account_in_a_query_is_named(root: Path, query: str) -> None:
    """The field of a query refuses as the option does."""
    code, out, err = said("--root", root, "search", "--", query)

    assert (1, "") == (code, out)
    assert "no such account: nobody" in err
