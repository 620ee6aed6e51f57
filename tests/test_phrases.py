"""`scripts/check_phrases.py` finds the phrases that we no longer write, and nothing in quotes."""

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).parent.parent / "scripts"


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Return a copy of the script in an empty repository."""
    script = tmp_path / "scripts" / "check_phrases.py"
    script.parent.mkdir()
    script.write_bytes((SCRIPTS / "check_phrases.py").read_bytes())
    return tmp_path


def found(top: Path, name: str, text: str) -> tuple[int, str]:
    """Write one file, and return exit code and output of the script."""
    path = top / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, top / "scripts" / "check_phrases.py"], check=False, capture_output=True, text=True
    )

    assert "" == done.stderr
    return done.returncode, done.stdout


@pytest.mark.parametrize(
    "name, text",
    [
        ("README.md", "Ask whoever wrote it."),
        ("docs/cli.md", "Comes in: bytes."),
        ("src/backscroll/one.py", '"""One.\n\nIt keeps what it reads.\n"""'),
        ("src/backscroll/one.py", '"""One."""\n\nONE = 1  # whatever comes'),
        ("src/backscroll/one.py", '"""One."""\n\nONE = 1\n"""Say nothing."""'),
    ],
)
def test_a_phrase_is_found(checkout: Path, name: str, text: str) -> None:
    """A phrase in a document, a docstring or a comment is named with its file and line."""
    code, output = found(checkout, name, text)
    line = 1 + text.partition("what")[0].count("\n") if "what" in text else 1 + text.partition("Say")[0].count("\n")

    assert 1 == code
    assert output.startswith(f"{name}:{line}: ")


@pytest.mark.parametrize(
    "name, text",
    [
        ("README.md", "It reads what it finds."),
        ("src/backscroll/one.py", '"""See docs/formats.md, "What a human typed", and `what`."""\n\nWHAT = "what"'),
    ],
)
def test_other_words_pass(checkout: Path, name: str, text: str) -> None:
    """Words in quotes, in code and in documents pass where only prose of the package is held to the rule."""
    assert (0, "") == found(checkout, name, text)
