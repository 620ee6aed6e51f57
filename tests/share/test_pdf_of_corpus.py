"""PDF of real sessions: neither its text nor its facts hold anything that the rules or the root's identities name."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from chromium import needs_chromium
from command import said

import backscroll

pytestmark = [
    pytest.mark.slow,
    needs_chromium,
    pytest.mark.skipif(shutil.which("pdftotext") is None, reason="needs poppler-utils"),
]
SESSIONS = 2 if "BACKSCROLL_FAULTS" not in os.environ else 40


def printed(*command: str | Path) -> bytes:
    """Return the output of a program of poppler."""
    return subprocess.run(command, check=True, capture_output=True).stdout


def test_text_and_facts_of_printed_sessions_hold_nothing(corpus: Path, tmp_path: Path) -> None:
    """Sessions with the most redactions of a corpus, as their readers see them: text, title, links and XMP."""
    root, target = corpus / "home", tmp_path / "out"
    with backscroll.open(root) as library:
        sessions = library.list_sessions(limit=None).sessions
        middle = sorted((one for one in sessions if one.prompts), key=lambda one: one.bytes)[len(sessions) // 2 :]
        redactor = library.redactor()
    code, out, err = said(
        "--root", root, "share", *(one.id for one in middle[:SESSIONS]), "--dir", target, "--format", "pdf", "--json"
    )

    assert 0 == code, err
    assert json.loads(out)["redactions"] > 0
    for path in target.iterdir():
        seen = [
            printed("pdftotext", "-raw", path, "-"),
            *(printed("pdfinfo", *how, path) for how in ([], ["-meta"], ["-url"])),
        ]
        assert len(seen[0]) > 200
        assert [] == [one.rule for text in seen for one in redactor.scan(text)]
