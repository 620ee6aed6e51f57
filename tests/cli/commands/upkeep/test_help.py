"""`help`: the same as --help, by name."""

import pytest
from command import said

from backscroll.cli.main import COMMANDS


@pytest.mark.parametrize("name", ["search", "blame", "help"])
def test_help_of_a_command(name: str) -> None:
    """`help COMMAND` prints what `COMMAND --help` prints."""
    assert said(name, "--help") == said("help", name)


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
