"""Record what a process does to the files below a directory, and do it again, call by call, elsewhere.

What lies on the disk after each call is what a process leaves behind that is killed there: everything written so far,
and nothing else.  So one recorded run stands for as many killed ones as it makes calls.

    calls = record(command, below)
    for done in replay(calls, below, copy): ...     # `copy` is now as `below` was after this call
"""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

CALLS = (
    "openat,write,pwrite64,writev,pwritev,ftruncate,fallocate,rename,renameat,renameat2,unlink,unlinkat,mkdir,mkdirat,"
    "link,linkat,lseek"
)
_LINE = re.compile(r"(\d+) +(?:<\.\.\. \w+ resumed>(.*)|(\w+)\((.*))", re.DOTALL)
_ENDED = re.compile(r"\) += (-?\d+)")
_TEXT = re.compile(r'"((?:\\x[0-9a-f]{2})*)"')
_FILE = re.compile(r"(\d+)<((?:\\x[0-9a-f]{2})*)>")
_NAMED = re.compile(r'(?:\d+<((?:\\x[0-9a-f]{2})*)>|AT_FDCWD(?:<[^>]*>)?), "((?:\\x[0-9a-f]{2})*)"')
_UNKNOWN = {"writev", "pwritev", "fallocate"}


class Call(NamedTuple):
    """A call that changed something: what it did, to which file, with what."""

    name: str
    path: Path
    data: bytes = b""
    offset: int = 0
    target: Path | None = None


def record(command: Sequence[str], below: Path, log: Path) -> list[Call]:
    """Run a command and return what it changed below a directory."""
    traced = ["strace", "-f", "-qq", "-y", "-xx", "-s", "100000000", "-o", str(log), "-e", f"trace={CALLS}", *command]
    subprocess.run(traced, stdin=subprocess.DEVNULL, capture_output=True, check=True)
    positions: dict[int, int] = {}
    found = []
    for name, arguments, result in _calls(log):
        call = _call(name, arguments, result, positions)
        if call is not None and call.path.is_relative_to(below):
            assert name not in _UNKNOWN, name
            found.append(call)
    return found


def _calls(log: Path) -> Iterator[tuple[str, str, int]]:
    """Yield the calls that succeeded: name, arguments and result; one that was interrupted where it ended."""
    begun: dict[str, str] = {}
    for line in log.read_text().splitlines():
        found = _LINE.match(line)
        if found is None:
            continue
        process, rest, name, arguments = found.groups()
        if name is None:
            name, arguments = begun.pop(process, " ").split(" ", 1)
            arguments += rest
        if arguments.endswith("<unfinished ...>"):
            begun[process] = f"{name} {arguments.removesuffix('<unfinished ...>')}"
        elif (ended := _ENDED.search(arguments)) and int(ended[1]) >= 0:
            yield name, arguments, int(ended[1])


def _call(name: str, arguments: str, result: int, positions: dict[int, int]) -> Call | None:
    texts = [_bytes(text) for text in _TEXT.findall(arguments)]
    paths = _paths_at(arguments) if name.endswith(("at", "at2")) else [_path(text) for text in texts]
    if name == "openat":
        positions[result] = 0
        how = "truncate" if "O_TRUNC" in arguments else "create"
        return Call(how, paths[0]) if "O_CREAT" in arguments else None
    if name.startswith(("rename", "link")):
        return Call(name[:6] if name[0] == "r" else "link", paths[0], target=paths[1])
    if name.startswith(("unlink", "mkdir")):
        return Call(name.removesuffix("at"), paths[0])
    opened = _FILE.match(arguments)
    return _call_on_file(name, arguments, texts, result, positions) if opened else None


def _call_on_file(name: str, arguments: str, texts: list[bytes], result: int, positions: dict[int, int]) -> Call | None:
    opened = _FILE.match(arguments)
    assert opened is not None
    number, path = int(opened[1]), _path(_bytes(opened[2]))
    if name == "lseek":
        positions[number] = result
        return None
    if name == "ftruncate":
        return Call(name, path, offset=int(arguments.rpartition(", ")[2].partition(")")[0]))
    if name == "pwrite64":
        return Call("write", path, texts[0][:result], int(arguments.rpartition(", ")[2].partition(")")[0]))
    offset = positions.get(number, 0)
    positions[number] = offset + result
    return Call(name, path, (texts or [b""])[0][:result], offset)


def _bytes(text: str) -> bytes:
    return bytes.fromhex(text.replace("\\x", ""))


def _path(name: bytes) -> Path:
    return Path(os.fsdecode(name))


def _paths_at(arguments: str) -> list[Path]:
    """Return the paths of a call that names files below open directories."""
    return [_path(_bytes(directory)) / _path(_bytes(name)) for directory, name in _NAMED.findall(arguments)]


def replay(calls: Sequence[Call], below: Path, copy: Path) -> Iterator[Call]:
    """Do recorded calls again in a copy of the directory, and yield each after it was done."""
    for call in calls:
        _do(call, copy / call.path.relative_to(below), below, copy)
        yield call


def _do(call: Call, path: Path, below: Path, copy: Path) -> None:
    if call.name == "mkdir":
        path.mkdir(parents=True)
    elif call.name == "create":
        path.touch()
    elif call.name == "unlink":
        path.unlink()
    elif call.name == "rename" and call.target is not None:
        path.replace(copy / call.target.relative_to(below))
    elif call.name == "link" and call.target is not None:
        os.link(path, copy / call.target.relative_to(below))
    elif call.name == "truncate":
        path.write_bytes(b"")
    else:
        with path.open("r+b") as file:
            if call.name == "ftruncate":
                file.truncate(call.offset)
            else:
                file.seek(call.offset)
                file.write(call.data)


def same(one: Path, other: Path) -> bool:
    """Say whether two directories hold the same, memory that processes share aside."""
    return _content(one) == _content(other)


def _content(directory: Path) -> dict[str, bytes]:
    files = (path for path in directory.rglob("*") if path.is_file() and not path.name.endswith("-shm"))
    return {str(path.relative_to(directory)): path.read_bytes() for path in files}


def renewed(source: Path, target: Path) -> Path:
    """Make a directory a copy of another one."""
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(source, target)
    return target
