"""The real Claude Code as the judge: after each call that it makes, the disk holds what we recover.

Needs ../shared/real-cli, root for its network namespace, and the program itself: `REAL_CLAUDE=/path/to/claude`.
"""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

import backscroll

REAL = os.environ.get("REAL_CLAUDE")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(REAL is None, reason="needs the real Claude Code: REAL_CLAUDE=/path/to/claude"),
]

FILES = {
    "crlf.txt": b"one\r\ntwo\r\nthree\r\n",
    "bom.txt": b"\xef\xbb\xbfalpha\nbeta\n",
    "utf16.txt": "\ufeffwide\nchars\n".encode("utf-16-le"),
    "tabs.py": b"def f():\n\treturn 1\n\tdel\n",
    "quotes.txt": "say “hello” and ‘bye’\n".encode(),
    "mixed.txt": b"a\r\nb\nc\r\nd\n",
    "deleted.txt": b"del\nx del y\ndel\n",
    "nonl.txt": b"no newline",
    "written.txt": b"one\r\ntwo\r\n",
    "big.txt": b"".join(b"line %d of a big file with padding text\n" % number for number in range(70_000)),
    "lonecr.txt": b"a\rb\rc\n",
    "notebook.ipynb": json.dumps(
        {
            "cells": [
                {"cell_type": "code", "id": "c1", "metadata": {}, "outputs": [], "execution_count": 3, "source": ["1"]},
                {"cell_type": "markdown", "id": "c2", "metadata": {}, "source": ["# hi"]},
            ],
            "metadata": {"language_info": {"name": "python"}},
            "nbformat": 4,
            "nbformat_minor": 5,
        }
    ).encode(),
}
CHANGES: list[tuple[str, dict[str, Any]]] = [
    ("crlf.txt", {"old_string": "two", "new_string": "TWO\nmore"}),
    ("crlf.txt", {"old_string": "one\n", "new_string": ""}),
    ("bom.txt", {"old_string": "alpha", "new_string": "ALPHA"}),
    ("bom.txt", {"old_string": "beta", "new_string": "$& $1 \\1"}),
    ("utf16.txt", {"old_string": "wide", "new_string": "WIDE"}),
    ("tabs.py", {"old_string": "\treturn 1", "new_string": "\treturn 2  \n\tpass\t"}),
    ("tabs.py", {"old_string": "\tdel", "new_string": ""}),
    ("quotes.txt", {"old_string": 'say "hello"', "new_string": 'say "goodbye" it\'s'}),
    ("mixed.txt", {"old_string": "b", "new_string": "B\nB2"}),
    ("deleted.txt", {"old_string": "del", "new_string": "", "replace_all": True}),
    ("nonl.txt", {"old_string": "newline", "new_string": "newline at end"}),
    ("written.txt", {"content": "ONE\ntwo\n"}),
    ("written.txt", {"content": "back\r\nto crlf\r\n"}),
    ("written.txt", {"old_string": "back", "new_string": "Back"}),
    ("big.txt", {"old_string": "line 101 of a big file with padding text", "new_string": "CHANGED"}),
    ("lonecr.txt", {"old_string": "b", "new_string": "X"}),
    ("made.txt", {"old_string": "", "new_string": "made\n"}),
    ("deep/er.txt", {"content": "x\ny"}),
    ("notebook.ipynb", {"cell_id": "c1", "new_source": "2", "cell_type": "code", "edit_mode": "replace"}),
    ("notebook.ipynb", {"cell_id": "c1", "new_source": "new", "cell_type": "markdown", "edit_mode": "insert"}),
]


def call(name: str, **given: Any) -> list[dict[str, Any]]:
    """Return one answer of the scripted model: a call."""
    return [{"type": "tool_use", "name": name, "input": given}]


def script(work: Path, copies: Path) -> list[list[dict[str, Any]]]:
    """Return what the scripted model does: read each file and change it, with a copy of the disk after each change."""
    steps, unread = [], set(FILES)
    for number, (name, given) in enumerate(CHANGES):
        if name in unread:
            piece = {"offset": 100, "limit": 3} if name == "big.txt" else {}
            steps.append(call("Read", file_path=str(work / name), **piece))
            unread.discard(name)
        tool = "NotebookEdit" if "new_source" in given else "Write" if "content" in given else "Edit"
        key = "notebook_path" if tool == "NotebookEdit" else "file_path"
        steps.append(call(tool, **{key: str(work / name)}, **given))
        steps.append(call("Bash", command=f"cp '{work / name}' '{copies / str(number)}'", description="copy"))
    return [*steps, [{"type": "text", "text": "done"}]]


def test_the_disk_holds_what_we_recover(shared: Path, tmp_path: Path) -> None:
    """Each call's version equals, byte for byte, the copy that was made right after it."""
    home, work, copies = (tmp_path / name for name in ("home", "work", "copies"))
    for directory in (home, work, copies):
        directory.mkdir()
    for name, data in FILES.items():
        (work / name).write_bytes(data)
    scripts = tmp_path / "scripts.json"
    scripts.write_text(json.dumps({"lab": script(work, copies)}))
    tools = shared / "real-cli"
    environment = os.environ | {"SCRIPTS": str(scripts), "RUN_TIMEOUT": "240"}
    environment["EXTRA_ENV"] = "CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING=1"
    subprocess.run(["python3", tools / "seedhome.py", home, work], check=True)
    options = ["--permission-mode", "bypassPermissions", "--output-format", "json"]
    command = [str(tools / "run.sh"), str(home), str(work), str(REAL), "-p", "SCRIPT:lab please", *options]
    subprocess.run(command, env=environment, check=True, capture_output=True, timeout=300)

    wrong = []
    for name in {name for name, _ in CHANGES}:
        made = [copies / str(number) for number, (other, _) in enumerate(CHANGES) if other == name]
        versions = [v for v in backscroll.recover(str(work / name), home).versions if v.how in ("write", "edit")]
        for version, copy in zip(versions, made, strict=True):
            if copy.read_bytes() != backscroll.recover_content(str(work / name), home, version=version.n).data:
                wrong.append((name, version.n, version.sure))
    assert [] == wrong
