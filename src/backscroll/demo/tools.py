"""Tool calls for drafts: the input of the model, the result for it, and the program's own data.

Shapes as in docs/formats.md, "What a tool gave back".
"""

from typing import Any, NamedTuple

from backscroll.formats import diffs


class Tool(NamedTuple):
    """A call with its result; `text` None means that no result was recorded."""

    name: str
    input: dict[str, Any]
    text: str | list[dict[str, Any]] | None = None
    data: Any = None
    error: bool = False
    saved: str | None = None
    """The whole output, if it was too large for the transcript."""


def read(path: str, content: str, start: int = 1) -> Tool:
    """Read a file, all of it or the piece that begins at line `start`."""
    lines = content.split("\n")
    file = {"filePath": path, "content": content, "numLines": len(lines), "startLine": start}
    shown = "\n".join(f"{number}\t{line}" for number, line in enumerate(lines, start))
    total = len(lines) + start - 1
    return Tool("Read", {"file_path": path}, shown, {"type": "text", "file": {**file, "totalLines": total}})


def write(path: str, content: str, before: str | None = None) -> Tool:
    """Write a file, new or over the text `before`."""
    kind = "create" if before is None else "update"
    text = f"File created successfully at: {path}" if before is None else f"The file {path} has been updated."
    data = {
        "type": kind,
        "filePath": path,
        "content": content,
        "structuredPatch": [] if before is None else patch(before, content),
        "originalFile": before,
        "userModified": False,
    }
    return Tool("Write", {"file_path": path, "content": content}, text, data)


def edit(path: str, before: str, old: str, new: str) -> Tool:
    """Replace `old` by `new` in a file that held `before`."""
    data = {
        "filePath": path,
        "oldString": old,
        "newString": new,
        "originalFile": before,
        "structuredPatch": patch(before, before.replace(old, new, 1)),
        "userModified": False,
        "replaceAll": False,
    }
    asked = {"replace_all": False, "file_path": path, "old_string": old, "new_string": new}
    return Tool("Edit", asked, f"The file {path} has been updated successfully.", data)


def bash(command: str, output: str, description: str = "", saved: str | None = None) -> Tool:
    """Run a command that succeeds; with `saved`, `output` is only the beginning of its output."""
    data = {"stdout": output, "stderr": "", "interrupted": False, "isImage": False, "noOutputExpected": not output}
    return Tool("Bash", {"command": command, "description": description or command}, output, data, saved=saved)


def failed(command: str, code: int, output: str) -> Tool:
    """Run a command that fails: its data is a string."""
    text = f"Exit code {code}\n{output}"
    return Tool("Bash", {"command": command, "description": command}, text, f"Error: {text}", error=True)


def grep(pattern: str, *files: str) -> Tool:
    """Search for files that match."""
    data = {"mode": "files_with_matches", "filenames": list(files), "numFiles": len(files)}
    asked = {"pattern": pattern, "output_mode": "files_with_matches"}
    return Tool("Grep", asked, "\n".join([f"Found {len(files)} files", *files]), data)


def todo(*items: str, done: int) -> Tool:
    """Write a list of things to do, the first `done` of them completed."""
    todos = [
        {"content": item, "status": "completed" if number < done else "pending", "activeForm": item}
        for number, item in enumerate(items)
    ]
    return Tool("TodoWrite", {"todos": todos}, "Todos have been modified.", {"oldTodos": [], "newTodos": todos})


def patch(before: str, after: str) -> list[dict[str, Any]]:
    """Return the hunks that lead from one text to another, for display."""
    old, new = before.splitlines(), after.splitlines()
    return [_hunk(hunk, old, new) for hunk in diffs.hunks(diffs.compare(old, new).runs, 3)]


def _hunk(runs: list[diffs.LineRun], old: list[str], new: list[str]) -> dict[str, Any]:
    lines = []
    for run in runs:
        is_kept = run.kind == diffs.EQUAL
        lines += [(" " if is_kept else "-") + line for line in old[run.old_start : run.old_end]]
        lines += [] if is_kept else ["+" + line for line in new[run.new_start : run.new_end]]
    first, last = runs[0], runs[-1]
    return {
        "oldStart": first.old_start + 1,
        "oldLines": last.old_end - first.old_start,
        "newStart": first.new_start + 1,
        "newLines": last.new_end - first.new_start,
        "lines": lines,
    }
