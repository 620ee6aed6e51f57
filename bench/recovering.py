"""Recovery: files given back beside claude-file-recovery, and how quickly a large home answers.

Both programs list and write all files of the same home.  What a file must hold is judged by the records alone, without
backscroll: by the last one that holds the whole text, where nothing happened to the file after it.  Of a home that is
given (`--home`) and was just made on this machine by the real program, the files themselves are the truth.
What differs, and who is right, is in docs/recovery.md.
"""

import csv
import io
import json
import shutil
from pathlib import Path
from typing import Any

from corpora import Home, public
from lab import Case, Lab, Section
from measure import Figure
from report import OURS
from searching import named
from texts import SAID, records

PEER = "claude-file-recovery"
CHANGES = {"Write", "Edit", "MultiEdit", "NotebookEdit"}
LISTING, WRITING = "list all files", "give back all files"
Truth = dict[str, str | bytes]
"""What files must hold: the text as far as records prove it, or the very bytes."""
COLUMNS = ("program", "files", "versions", "given back", "by it alone", "right", "wrong", "missing")
MORE_COLUMNS = ("CPU", "wall", "peak memory", "runs", "command", "note")


def recovery(lab: Lab) -> Section:
    """List and give back every file of a home of real transcripts, or of the demo home where that is not there."""
    home = lab.given or (lab.home("public", public) if public().path.exists() else lab.demo())
    proved = last_texts(home)
    truth: Truth = {path: text for path, text in proved.items() if text is not None}
    if lab.given:
        truth = {path: Path(path).read_bytes() for path in proved if Path(path).is_file()}
    given: dict[str, set[str]] = {}
    cases = [
        *_ours(lab, home, truth, given),
        *(_theirs(lab, home, truth, given) if lab.has(PEER) else ()),
    ]
    text = (
        f"{home.describe()}.\n"
        f"Of {len(truth)} files the records alone prove what they held last: a `Write`, a `Read` of the whole file or "
        "an `Edit` with the text before it, and nothing after it.\n"
        "“right” are those of them that are given back as that text (line ends aside), “wrong” those that differ, "
        "“missing” those not given back as a whole.\n"
        "“by it alone” are files that we do not give back, not even in part.\n"
        "Files that later reads of a part, or notices, show to have changed are not judged; the rule was made after a "
        "look at files that we missed, not at those of the peer.\n"
        "Every kind of difference is explained in [recovery](recovery.md)."
    )
    return Section("Recovery", text, cases, COLUMNS + MORE_COLUMNS)


def _ours(lab: Lab, home: Home, truth: Truth, given: dict[str, set[str]]) -> list[Case]:
    place, words = lab.scratch / "ours", "files --all --json"

    def listed(output: str, _: Figure) -> dict[str, Any]:
        files = json.loads(output)["files"]
        return {"files": len(files), "versions": sum(file["versions"] for file in files)}

    def written(output: str, _: Figure) -> dict[str, Any]:
        files = [file for file in json.loads(output)["files"] if file["status"] == "written"]
        given[OURS] = {file["path"] for file in files}
        whole = {file["path"]: Path(file["target"]) for file in files if not file["target"].endswith(".partial")}
        return judged(whole, truth)

    first, again = lab.cold(f"{LISTING}, no index", home, words), lab.ours(LISTING, home, words)
    first.facts = again.facts = listed
    write = lab.ours(WRITING, home, f"recover --all --json --write {place}", first="files")
    write.before, write.facts = lambda: shutil.rmtree(place, ignore_errors=True), written
    write.how, write.note = (
        "backscroll recover --all --write DIR",
        "what is known in part is written as such, not counted",
    )
    return [first, again, write]


def _theirs(lab: Lab, home: Home, truth: Truth, given: dict[str, set[str]]) -> list[Case]:
    program, place, found = lab.peers[PEER].program, lab.scratch / "theirs", set[str]()

    def listed(output: str, _: Figure) -> dict[str, Any]:
        rows = csv.DictReader(io.StringIO(output[output.index("last_modified") :]))
        found.update(row["path"] for row in rows if row["path"])
        return {"files": len(found), "versions": len(found)}

    def written(_: str, __: Figure) -> dict[str, Any]:
        files = {path: place / path.lstrip("/") for path in found}
        alone = {path for path, file in files.items() if file.is_file()} - given.get(OURS, set())
        return judged(files, truth) | {"by it alone": len(alone)}

    command, wide = [program, "list-files", "-c", home.config, "--csv"], {"COLUMNS": "4000"}
    lists = Case(LISTING, PEER, f"{PEER} list-files --csv", command, home.path, lab.times(3), wide, facts=listed)
    command = [program, "extract-files", "-c", home.config, "-o", place]
    write = Case(WRITING, PEER, f"{PEER} extract-files", command, home.path, lab.times(3), wide, facts=written)
    write.before, write.note = lambda: shutil.rmtree(place, ignore_errors=True), "one state of each file"
    return [lists, write]


def files(lab: Lab, size: str) -> Section:
    """Measure how quickly a large home says what its sessions touched."""
    home = lab.sized(size)
    most = max(json.loads(lab.ask(home, "files", "--all", "--json"))["files"], key=lambda file: file["versions"])
    path = lab.ours("recover PATH", home, f"recover {most['path']}")
    path.how, path.note = "backscroll recover PATH", f"{most['versions']} versions"
    cases = [lab.ours("files", home, "files"), lab.ours("files of one kind", home, "files --all --match *.py"), path]
    return Section(f"Files of a large home, {named(lab, size)}", f"{home.describe()}.", cases)


# What is right


def judged(written: dict[str, Path], truth: Truth) -> dict[str, Any]:
    """Hold the files that were given back against what they must hold."""
    given = {path: place for path, place in written.items() if place.is_file()}
    right = sum(_is_right(given[path], content) for path, content in truth.items() if path in given)
    known = len(truth.keys() & given.keys())
    return {"given back": len(given), "right": right, "wrong": known - right, "missing": len(truth) - known}


def _is_right(path: Path, content: str | bytes) -> bool:
    found = path.read_bytes()
    return found == content if isinstance(content, bytes) else _plain(found.decode(errors="replace")) == content


def last_texts(home: Home) -> dict[str, str | None]:
    """Return what the records prove of each file's last text; None where something happened to it that they do not."""
    found: dict[str, str | None] = {}
    called: dict[str, str] = {}
    told = records(home.transcripts, (*SAID, "attachment"))
    for record in sorted(told, key=lambda record: str(record.get("timestamp"))):
        result, attached = record.get("toolUseResult"), record.get("attachment") or {}
        if attached.get("type") == "edited_text_file":
            found[attached["filename"]] = None
        for block in _blocks(record):
            if block.get("type") == "tool_use" and block.get("name") in CHANGES:
                called[block["id"]] = str(block["input"].get("file_path") or block["input"].get("notebook_path"))
            elif block.get("type") == "tool_result" and not block.get("is_error"):
                _take(result if isinstance(result, dict) else {}, called.get(str(block.get("tool_use_id"))), found)
    return found


def _blocks(record: dict[str, Any]) -> list[dict[str, Any]]:
    message = record.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []


def _take(result: dict[str, Any], changed: str | None, found: dict[str, str | None]) -> None:
    """Take in what the result of a call proves of a file; `changed` is the one that the call was to change."""
    read = result.get("file")
    if not isinstance(read, dict):
        path = result.get("filePath") or changed
        if path:
            found[path] = _changed(result)
    elif result.get("type") == "text" and isinstance(read.get("content"), str):
        path, lines = read["filePath"], _plain(read["content"])
        if read.get("startLine") == 1 and read.get("numLines") == read.get("totalLines"):
            found[path] = lines
        elif lines not in (found.get(path) or ""):
            found[path] = None


def _changed(result: dict[str, Any]) -> str | None:
    """Return the whole text after a change, if its result proves it."""
    before, old, new = (result.get(name) for name in ("originalFile", "oldString", "newString"))
    if result.get("type") in {"create", "update"} and isinstance(result.get("content"), str):
        return _plain(result["content"])
    if before and old and new and old in before and not result.get("staged") and not result.get("userModified"):
        return _plain(before.replace(old, new, -1 if result.get("replaceAll") else 1))
    return None


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n")
