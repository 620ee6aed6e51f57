"""Damaged LevelDB files of a Desktop's pages: damage is told, no value is invented, and sessions answer."""

from pathlib import Path
from random import Random
from typing import Any

import pytest
from chance import chance, rounds
from command import said, strictly
from hostile_values import broken
from leveldb_make import Files, beneath, dom_text, idb_key, idb_names, log_of, store, table, text_be, v8_text
from make import UUID, Draft, home

from backscroll.formats.leveldb.store import OTHER_TABLE

SEED = 18
CASES = 60
DATA = ".config/Claude"
PREFIX = b"_https://claude.ai\0"
VALUES = {f"key-{number:03}": f"value {number} " * 40 for number in range(60)}
LOCAL = [(PREFIX + dom_text(key), dom_text(value)) for key, value in VALUES.items()]
INDEXED = [(idb_key(1, 1, 1, b"\x01" + text_be(key)), b"\1" + v8_text(value)) for key, value in VALUES.items()]


def profile() -> dict[str, bytes]:
    """Return both stores of a profile, one half of each in a table and the other in a log."""
    files: dict[str, bytes] = {}
    for name, writes in (
        ("Local Storage/leveldb/", LOCAL),
        ("IndexedDB/https_claude.ai_0.indexeddb.leveldb/", [*idb_names("keyval-store", "keyval"), *INDEXED]),
    ):
        rows = [(key, place + 1, value) for place, (key, value) in enumerate(writes[:30])]
        files |= beneath(name, store({3: log_of(writes[30:], 31)}, {5: table(rows)}))
    return files


WHOLE = profile()


def zoo(root: Path) -> Path:
    """Write a session, and a Desktop's profile beside it."""
    Draft(UUID, "/srv/okapi").prompt("feed the okapi").answer("Fed.").title("Okapi").write(home(root))
    Files(WHOLE).write(root / DATA)
    return root


def answers(root: Path) -> Any:
    """Return what `list` and `show` say of the session."""
    found = []
    for command in (["list", "--all"], ["show", UUID]):
        code, out, err = said("--root", root, "--json", *command)
        assert code == 0, err
        found.append(strictly(out.encode()))
    return found


def stored(root: Path) -> Any:
    """Return the answer of `storage`, with all values whole."""
    code, out, err = said("--root", root, "--json", "storage", "*")
    assert code in {0, 1}, err
    return strictly(out.encode())


def damage_one(root: Path, numbers: Random) -> str:
    """Damage one file of a profile, remove it, or replace it by another; return its name."""
    name = numbers.choice(sorted(WHOLE))
    path = root / DATA / name
    how = numbers.choice(["broken", "broken", "broken", "gone", "other", "directory"])
    path.unlink()
    if how == "broken":
        path.write_bytes(broken(WHOLE[name], numbers))
    elif how == "other":
        path.write_bytes(WHOLE[numbers.choice(sorted(WHOLE))])
    elif how == "directory":
        path.mkdir()
    return f"{how} {name}"


def restore(root: Path) -> None:
    """Write a whole profile in place of the damaged one."""
    for name, data in WHOLE.items():
        path = root / DATA / name
        if path.is_dir():
            path.rmdir()
        if not path.exists() or path.read_bytes() != data:
            path.write_bytes(data)


def is_silent(what: str) -> bool:
    """Return True where LevelDB itself notices nothing: a log is gone, or a whole log or manifest of another store."""
    is_other = what.startswith("other") and not what.endswith(".ldb")
    return is_other or (what.endswith(".log") and not what.startswith("broken"))


def test_another_table_is_told(tmp_path: Path) -> None:
    """A whole table in the place of another is damage of the store, though each of its blocks is right."""
    root = zoo(tmp_path)
    assert [] == stored(root)["damage"]
    one, other = (path for path in sorted(WHOLE) if path.endswith(".ldb"))
    (root / DATA / other).write_bytes(WHOLE[one])

    (told,) = stored(root)["damage"]
    assert (str(root / DATA / other), OTHER_TABLE) == (told["place"]["path"], told["reason"])


@pytest.mark.slow
def test_one_damaged_file(tmp_path: Path) -> None:
    """A damaged file costs values of its own at most, and that is told; no value is another than was written."""
    numbers = chance(SEED)
    root = zoo(tmp_path)
    assert 2 * len(VALUES) == len(stored(root)["records"])
    for number in range(rounds(CASES)):
        what = damage_one(root, numbers)
        found = stored(root)
        assert [] == [item["key"] for item in found["records"] if VALUES.get(item["key"]) != item["value"]], what
        is_whole = 2 * len(VALUES) == len(found["records"])
        assert is_whole or found["damage"] or is_silent(what), (number, what)
        restore(root)


@pytest.mark.slow
def test_many_damaged_files(tmp_path: Path) -> None:
    """However much of a profile is damaged, `storage` answers, and sessions are listed and shown as before."""
    numbers = chance(SEED + 1)
    root = zoo(tmp_path)
    right = answers(root)
    for number in range(rounds(CASES) // 10):
        for name, data in WHOLE.items():
            (root / DATA / name).write_bytes(broken(data, numbers))
        for command in (["storage"], ["storage", "--marks"], ["storage", "--deleted", "--everything", "--json"]):
            code, _, err = said("--root", root, *command)
            assert code == 0, (number, command, err)
        assert right == answers(root), number
