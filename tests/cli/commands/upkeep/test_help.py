"""`help`: the same as --help, by name."""

import pytest
from command import said

from backscroll.cli.main import COMMANDS


@pytest.mark.parametrize("name", ["search", "blame", "help"])
def test_help_of_a_command(name: str) -> None:
    """`help COMMAND` prints what `COMMAND --help` prints."""
    assert said(name, "--help") == said("help", name)


def test_help_of_a_command_in_a_group() -> None:
    """`help GROUP COMMAND` goes on into the group, and answers slips there too."""
    assert said("transfer", "copy", "--help") == said("help", "transfer", "copy")
    assert "Did you mean 'copy'?" in said("help", "transfer", "cpy")[2]
    assert (2, "") == said("help", "list", "copy")[:2]


def test_help_of_everything() -> None:
    """`help` alone lists all commands."""
    code, out, _ = said("help")

    assert 0 == code
    assert all(f"  {name} " in out for name in COMMANDS)


def test_help_of_an_unknown_command() -> None:
    """A slip is answered with the command that may be meant."""
    code, _, err = said("help", "serch")

    assert 2 == code
    assert "Did you mean 'search'?" in err
