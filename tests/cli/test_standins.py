"""Modules that hardly any command uses are stood for until one does."""

import gettext
import inspect
import json
import platform
import subprocess
import sys
import typing
from pathlib import Path

import pytest

from backscroll.cli import standins
from backscroll.demo.home import write_demo_home

STOOD_FOR = sorted(standins._KNOWN)


def in_a_new_process(code: str) -> str:
    """Run `code` where the stand-ins are up, and return what it prints."""
    begin = "import sys\nfrom backscroll.cli.standins import StandIn, put_up\nput_up()\n"
    done = subprocess.run([sys.executable, "-c", begin + code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.mark.parametrize("text", ["", "One line.", "  One line. ", "\tA tab", " Two\n    lines\n", "\n\n  a\n    b\n"])
def test_cleandoc_is_pythons(text: str) -> None:
    """Help is cleaned as `inspect` cleans it, in one line or many."""
    assert inspect.cleandoc(text) == standins._KNOWN["inspect"]["cleandoc"](text)  # type: ignore[operator]


def test_plurals_and_system_are_pythons() -> None:
    """What the others answer is what the modules themselves would."""
    known = standins._KNOWN
    for number in (0, 1, 2):
        assert gettext.ngettext("one", "many", number) == known["gettext"]["ngettext"]("one", "many", number)  # type: ignore[operator]
    assert gettext.gettext("Usage:") == known["gettext"]["gettext"]("Usage:")  # type: ignore[operator]
    assert platform.system() == known["platform"]["system"]()  # type: ignore[operator]
    assert typing.Required is known["typing_extensions"]["Required"]


@pytest.mark.parametrize(
    "module, question, answer",
    [
        ("inspect", "inspect.isfunction(put_up)", "True"),
        ("textwrap", "textwrap.dedent('  a')", "a"),
        ("urllib.parse", "urllib.parse.quote('a b')", "a%20b"),
        ("urllib.parse", "__import__('pathlib').Path('/a b').as_uri()", "file:///a%20b"),
        ("platform", "platform.python_implementation()", sys.implementation.name.replace("cpython", "CPython")),
        ("typing_extensions", "typing_extensions.deprecated.__name__", "deprecated"),
    ],
)
def test_anything_else_loads_the_module(module: str, question: str, answer: str) -> None:
    """A question that a stand-in cannot answer is answered by the module, which stands in its own place again."""
    code = f"import {module}\nprint({question}, type(sys.modules['{module}']) is StandIn)"
    assert f"{answer} False" == in_a_new_process(code)


def test_what_is_loaded_stays() -> None:
    """A module that is there already is not replaced."""
    code = "del sys.modules['textwrap']\nimport textwrap\nput_up()\nprint(type(sys.modules['textwrap']) is StandIn)"
    assert "False" == in_a_new_process(code)


@pytest.mark.slow
@pytest.mark.parametrize("command", [["list"], ["list", "--json"], ["show", "latest"], ["show", "latest", "--json"]])
def test_ordinary_commands_ask_for_none(command: list[str], tmp_path: Path) -> None:
    """Listing and showing load no module that is stood for, not even where all must be read first."""
    home = write_demo_home(tmp_path / "home")
    code = f"""
import json
from backscroll.cli.main import run
sys.stdout = open({str(tmp_path / "out")!r}, "w")
assert run(["--root", {str(home)!r}, *{command!r}]) == 0
print(json.dumps([name for name in sys.modules if type(sys.modules[name]) is StandIn]), file=sys.__stdout__)
"""
    read_by_desktop = {"urllib.parse"}
    assert set(STOOD_FOR) - read_by_desktop <= set(json.loads(in_a_new_process(code)))
    assert (tmp_path / "out").stat().st_size > 0
