"""Hostile bundles: names, links, bombs and lies of every kind.  Each is refused with 4, and nothing is written."""

import hashlib
import json
import struct
import sys
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from make import CODE_ROWS, desktop_file, fingerprint, home
from os_calls import CHANGING, before_each_call
from two_accounts import BENS, SYSTEMS, aged, reasons, rows_of, transcript_id, transfer

from backscroll.formats import ustar

if sys.version_info >= (3, 14):
    from compression.zstd import compress
else:
    from backports.zstd import compress

NAME = transcript_id(1)
GOOD = f"projects/-work/{NAME}.jsonl"
RECORD = b'{"type":"user","uuid":"u1","message":{"role":"user","content":"Hi"}}\n'
Entry = dict[str, Any]


def entry(path: str = GOOD, data: bytes = RECORD, **other: Any) -> Entry:
    """Return the manifest's words about a file."""
    return {"path": path, "size": len(data), "sha256": hashlib.sha256(data).hexdigest(), **other}


def manifest(*files: Entry, **other: Any) -> dict[str, Any]:
    """Return a manifest."""
    session = {"id": NAME, "key": "-work", "cwd": "/work", "title": "x"}
    head = {"format": "backscroll-bundle", "version": 1, "system": "linux", "sessions": [session]}
    return {**head, "files": list(files or [entry()]), **other}


def member(name: str, data: bytes = RECORD, kind: bytes = b"0", link: str = "") -> bytes:
    """Return one member of a tar archive, of any kind."""
    info = tarfile.TarInfo(name)
    info.size, info.type, info.linkname = len(data), kind, link
    info.mode = 0o600
    return info.tobuf(tarfile.USTAR_FORMAT, "utf-8", "surrogateescape") + data + bytes(-len(data) % 512)


def bundle(*members: bytes, head: Any = None, end: bytes = ustar.END) -> bytes:
    """Return a bundle of a manifest and members."""
    text = head if isinstance(head, bytes) else json.dumps(manifest() if head is None else head).encode()
    return compress(b"".join([member("manifest.json", text), *members, end]))


def named(path: str) -> bytes:
    """Return a bundle that consists with itself, and has one file of this name."""
    data = ustar.header(path, len(RECORD)) if path.isascii() and "\0" not in path and len(path) < 100 else None
    first = (data or member("x", b"")) + RECORD + bytes(-len(RECORD) % 512)
    return bundle(first, head=manifest(entry(path)))


BAD_NAMES = [
    "../evil.jsonl",
    "projects/../../evil.jsonl",
    f"projects/-work/../{NAME}.jsonl",
    f"/projects/-work/{NAME}.jsonl",
    "/etc/passwd",
    f"C:\\projects\\{NAME}.jsonl",
    f"C:/projects/-work/{NAME}.jsonl",
    f"\\\\server\\share\\{NAME}.jsonl",
    f"projects\\-work\\{NAME}.jsonl",
    f"projects/-work/{NAME}.jsonl\0.txt",
    f"projects/-work/{NAME}.jsonl\n",
    f"projects/-work/./{NAME}.jsonl",
    f"projects//{NAME}.jsonl",
    f"projects/-work/{NAME}.jsonl/",
    "settings.json",
    "settings.local.json",
    ".credentials.json",
    ".claude.json",
    "hooks/run.sh",
    "commands/evil.md",
    "agents/evil.md",
    "plugins/evil.json",
    "CLAUDE.md",
    "history.jsonl",
    f"projects/-work/{NAME}/scripts/run.sh",
    f"projects/-work/{NAME}/workflows/run.js",
    f"session-env/{NAME}/hook.sh",
    "shell-snapshots/snapshot.sh",
    f"projects/-work/{NAME}.desktop-released.json",
    f"projects/-work/{NAME}/tool-results/..",
    f"projects/-work/{NAME}/tool-results/.hidden",
    f"projects/-work/{NAME}/tool-results/CON.txt",
    f"projects/-work/{NAME}/tool-results/dot.",
    f"projects/-work/{NAME}/tool-results/stream:ads",
    f"projects/-work/{NAME}/tool-results/emoji😀",
    f"projects/-work/{'x' * 300}.jsonl",
    "rows/local_../../x.json",
    f"projects/-work/{transcript_id(2)}.jsonl",
    "",
]
TWO = f"projects/-work/{NAME}/tool-results/"


def bomb() -> bytes:
    """Return a small bundle that unpacks to 200 MB of zeros."""
    data = bytes(200 << 20)
    return bundle(member(GOOD, data), head=manifest(entry(GOOD, data)))


def pax_bomb() -> bytes:
    """Return a bundle whose second member claims a PAX header of 1 GB."""
    info = tarfile.TarInfo("pax")
    info.type, info.size = tarfile.XHDTYPE, 1 << 30
    return bundle(info.tobuf(tarfile.USTAR_FORMAT) + b"x" * 1024)


CRAFTED: dict[str, Callable[[], bytes]] = {
    "a symbolic link": lambda: bundle(member(GOOD, b"", tarfile.SYMTYPE, "/etc/passwd")),
    "a hard link": lambda: bundle(member(GOOD, b"", tarfile.LNKTYPE, "/etc/passwd")),
    "a device": lambda: bundle(member(GOOD, b"", tarfile.CHRTYPE)),
    "a fifo": lambda: bundle(member(GOOD, b"", tarfile.FIFOTYPE)),
    "a directory": lambda: bundle(member(GOOD, b"", tarfile.DIRTYPE)),
    "a regular file with the name of a link": lambda: bundle(member(GOOD, RECORD, b"0", "/etc/passwd")),
    "a PAX header of 1 GB": pax_bomb,
    "a GNU long name": lambda: bundle(member("././@LongLink", b"x" * 300, b"L"), member(GOOD)),
    "a sparse file": lambda: bundle(member(GOOD, RECORD, b"S")),
    "two files of one name": lambda: bundle(member(GOOD), member(GOOD), head=manifest(entry(), entry())),
    "names that differ in case": lambda: bundle(
        member(TWO + "a"), member(TWO + "A"), head=manifest(entry(TWO + "a"), entry(TWO + "A"))
    ),
    "a file inside a file": lambda: bundle(
        member(TWO + "a"), member(TWO + "a/b"), head=manifest(entry(TWO + "a"), entry(TWO + "a/b"))
    ),
    "a member that the manifest lacks": lambda: bundle(member(GOOD), member(TWO + "a")),
    "a file without its member": bundle,
    "members in another order": lambda: bundle(
        member(TWO + "b"), member(TWO + "a"), head=manifest(entry(TWO + "a"), entry(TWO + "b"))
    ),
    "another content": lambda: bundle(member(GOOD, RECORD.replace(b"Hi", b"Ho"))),
    "another size": lambda: bundle(member(GOOD, RECORD + b"x")),
    "a size below zero": lambda: bundle(member(GOOD), head=manifest(entry(size=-1))),
    "a size that is no number": lambda: bundle(member(GOOD), head=manifest(entry(size="10"))),
    "a size that is true": lambda: bundle(member(GOOD), head=manifest(entry(size=True))),
    "21 GB": lambda: bundle(member(GOOD), head=manifest(entry(size=21 << 30))),
    "a checksum that is none": lambda: bundle(member(GOOD), head=manifest(entry(sha256="0"))),
    "100,001 files": lambda: bundle(head=manifest(*([entry()] * 100_001))),
    "a path that is no text": lambda: bundle(member(GOOD), head=manifest({**entry(), "path": 7})),
    "no manifest": lambda: compress(member(GOOD) + ustar.END),
    "a manifest that comes second": lambda: compress(member(GOOD) + member("manifest.json", b"{}") + ustar.END),
    "a manifest that is no JSON": lambda: bundle(member(GOOD), head=b"{"),
    "a manifest that is a list": lambda: bundle(member(GOOD), head=b"[]"),
    "a manifest of 100,000 brackets": lambda: bundle(member(GOOD), head=b"[" * 100_000),
    "another format": lambda: bundle(member(GOOD), head=manifest(format="other")),
    "a newer version": lambda: bundle(member(GOOD), head=manifest(version=2)),
    "no sessions": lambda: bundle(member(GOOD), head=manifest(sessions=None)),
    "a session without an id": lambda: bundle(member(GOOD), head=manifest(sessions=[{"key": "-work"}])),
    "a session with a key that climbs": lambda: bundle(
        member(GOOD), head=manifest(sessions=[{"id": NAME, "key": "../..", "cwd": None, "title": None}])
    ),
    "cut off": lambda: bundle(member(GOOD))[:-9],
    "a tar without its end": lambda: bundle(member(GOOD), end=b""),
    "bytes after its end": lambda: bundle(member(GOOD), end=ustar.END + b"more" * 256),
    "bytes behind the frame": lambda: bundle(member(GOOD)) + b"more",
    "no Zstandard": lambda: member("manifest.json", b"{}") + ustar.END,
    "an empty file": lambda: b"",
    "a bomb": bomb,
    "a wrong checksum of a header": lambda: compress(
        member("manifest.json", json.dumps(manifest()).encode()).replace(b"ustar", b"ustaR", 1) + ustar.END
    ),
    "a size in base 256": lambda: compress(
        member("manifest.json", b"{}")[:124] + struct.pack(">BxxxQ", 0x80, 2) + member("manifest.json", b"{}")[136:]
    ),
    "a zip archive": lambda: b"PK\x03\x04" + bytes(100),
}
HOSTILE = {f"name {n}": lambda name=name: named(name) for n, name in enumerate(BAD_NAMES)} | CRAFTED


def test_there_are_enough_of_them() -> None:
    """At least 60 kinds of hostile bundles are tried."""
    assert len(HOSTILE) >= 60


def test_the_same_without_malice_is_taken(tmp_path: Path) -> None:
    """The control: the bundle that all others are made from unpacks."""
    root = home(tmp_path / "user")
    (tmp_path / "b.tar.zst").write_bytes(bundle(member(GOOD)))

    assert 0 == transfer(root, "unpack", tmp_path / "b.tar.zst", "--apply")[0]
    assert RECORD == (root / ".claude" / GOOD).read_bytes()


@pytest.mark.parametrize("kind", HOSTILE)
def test_nothing_is_written(kind: str, tmp_path: Path) -> None:
    """A hostile bundle is refused, and no file, directory or time changes anywhere around it."""
    root = home(tmp_path / "user")
    (tmp_path / "b.tar.zst").write_bytes(HOSTILE[kind]())
    aged(tmp_path)
    before = fingerprint(tmp_path)

    code, answer = transfer(root, "unpack", tmp_path / "b.tar.zst", "--apply")

    assert 4 == code, answer
    assert before == fingerprint(tmp_path)


def test_a_row_brings_no_permissions(tmp_path: Path) -> None:
    """Of a row in a bundle only harmless fields arrive, and only for a session that the bundle has."""
    root = home(tmp_path / "user")
    desktop_file(root, f"{CODE_ROWS}/{BENS}/scheduled-tasks.json", {}, SYSTEMS["linux"])
    app, other = f"local_{transcript_id(8)}", f"local_{transcript_id(9)}"
    evil = {"permissionMode": "bypassPermissions", "enabledMcpTools": {"x": True}, "sessionSettings": {"hooks": {}}}
    times = {"createdAt": 1, "lastActivityAt": 2, "title": "x", "cwd": "/work"}
    rows = {
        f"rows/{app}.json": {"sessionId": app, "cliSessionId": NAME, **times, **evil},
        f"rows/{other}.json": {"sessionId": other, "cliSessionId": transcript_id(7), **times},
    }
    data = {name: json.dumps(fields).encode() for name, fields in rows.items()}
    head = manifest(entry(), *(entry(name, text) for name, text in data.items()))
    place = tmp_path / "b.tar.zst"
    place.write_bytes(bundle(member(GOOD), *(member(name, text) for name, text in data.items()), head=head))
    aged(tmp_path)

    assert 0 == transfer(root, "unpack", place, "--apply")[0]

    written = list(rows_of(root, "linux").glob("local_*.json"))
    fields = json.loads(written[0].read_bytes())
    assert [f"{app}.json"] == [path.name for path in written]
    assert not evil.keys() & fields.keys()


def test_a_bundle_that_changes_under_our_hands(tmp_path: Path) -> None:
    """Other bytes between the check and the write: the run fails, and everything is undone."""
    root, place = home(tmp_path / "user"), tmp_path / "b.tar.zst"
    place.write_bytes(bundle(member(GOOD)))
    aged(tmp_path)
    before = fingerprint(root)

    def change(number: int, name: str) -> None:
        if number == 1:
            place.write_bytes(bundle(member(GOOD, RECORD.replace(b"Hi", b"Ho"))))

    with before_each_call(change, CHANGING):
        code, answer = transfer(root, "unpack", place, "--apply")

    assert 4 == code
    assert "the content changed since the plan was made" in reasons(answer)
    assert before == fingerprint(root)
