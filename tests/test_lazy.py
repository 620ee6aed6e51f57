"""Modules that are imported when they are first used."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from backscroll.lazy import PLAIN_START, lazily


def in_new_python(code: str) -> str:
    """Run code in a Python of its own and return what it prints."""
    environment = os.environ | {PLAIN_START: ""}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_a_module_runs_at_its_first_use(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Asking for a module does not run it; its first attribute does."""
    monkeypatch.delenv(PLAIN_START, raising=False)
    mark = tmp_path / "ran"
    (tmp_path / "slow_module.py").write_text(f"import pathlib\npathlib.Path({str(mark)!r}).touch()\nVALUE = 7\n")
    monkeypatch.syspath_prepend(tmp_path)
    module = lazily("slow_module")
    before = mark.exists()

    assert 7 == module.VALUE
    assert (False, True) == (before, mark.exists())
    assert 7 == sys.modules.pop("slow_module").VALUE


def test_a_module_that_is_there_already() -> None:
    """A module that was imported before is handed on as it is."""
    assert sys is lazily("sys")


def test_a_module_that_does_not_exist(monkeypatch: pytest.MonkeyPatch) -> None:
    """A wrong name fails at the first use, as an import there would."""
    monkeypatch.delenv(PLAIN_START, raising=False)
    module = lazily("backscroll_has_no_such_module")
    with pytest.raises(ModuleNotFoundError):
        _ = module.anything


def test_a_warm_list_reads_no_transcript(tmp_path: Path) -> None:
    """Listing a home whose index is up to date imports nothing that decodes transcripts."""
    (tmp_path / ".claude/projects/-p").mkdir(parents=True)
    (tmp_path / ".claude/projects/-p/s.jsonl").write_bytes(b'{"type":"user","uuid":"u1","message":{"content":"A"}}\n')
    code = f"import sys, backscroll\nprint(backscroll.list_sessions({str(tmp_path)!r}).total, 'msgspec' in sys.modules)"

    assert "1 True" == in_new_python(code)
    assert "1 False" == in_new_python(code)


def test_a_plain_start_imports_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With BACKSCROLL_PLAIN_START a module is imported where it is named."""
    (tmp_path / "quick_module.py").write_text("VALUE = 7\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv(PLAIN_START, "1")
    module = lazily("quick_module")

    assert module is sys.modules.pop("quick_module")
