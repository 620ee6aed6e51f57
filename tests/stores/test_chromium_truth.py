"""Stores made by a real Chromium (../shared/chromium) against what its page said, and other people's stores."""

import hashlib
import json
from functools import cache
from pathlib import Path
from typing import Any, cast

import pytest
from conftest import shared_path
from leveldb_make import Files

from backscroll.formats.chromium.profile import read_profile
from backscroll.formats.chromium.records import StorageRecord
from backscroll.formats.leveldb.log import INCOMPLETE
from backscroll.formats.leveldb.store import KeyEntry, read
from backscroll.formats.state import State
from backscroll.records import Damage
from backscroll.stores.browser import BrowserStore

pytestmark = pytest.mark.corpus

STORES = ("clean", "live", "live-torn", "clean-sqlite")
TORN = {
    "live-torn": {
        ("IndexedDB/https_claude.ai_0.indexeddb.leveldb/000003.log", INCOMPLETE),
        ("Local Storage/leveldb/000006.log", INCOMPLETE),
    }
}
HISTORY = {"clean": 36, "live": 32, "live-torn": 31, "clean-sqlite": 17}
"""How many of all versions that were written, deletions included, still lie in the store."""

RICH = {
    "s": "café",
    "w": "日本",
    "n": 1.5,
    "i": -7,
    "big": {"$bigint": "12345678901234567890"},
    "t": True,
    "f": False,
    "nul": None,
    "u": {"$undefined": True},
    "d": {"$date": "2026-04-24T03:06:40.000Z"},
    "re": {"$regexp": "a+b", "flags": "gi"},
    "arr": [1, {"$hole": True}, "x"],
    "map": {"$map": [["k", {"v": 1}]]},
    "set": {"$set": [1, "two"]},
    "bytes": {"$bytes": "AQID", "type": "Uint8Array"},
    "nested": {"a": {"b": {"c": []}}},
}


@cache
def items(name: str) -> list[StorageRecord | Damage]:
    """Read one of the stores where it lies."""
    path = shared_path(f"chromium/{name}")
    return BrowserStore(path, path).records()


@cache
def truth(name: str) -> dict[str, Any]:
    """Return what the page said."""
    found: dict[str, Any] = json.loads((shared_path(f"chromium/{name}") / "truth.json").read_bytes())
    return found


def records(name: str, kind: str) -> list[StorageRecord]:
    """Return the records of one kind."""
    return [item for item in items(name) if isinstance(item, StorageRecord) and item.kind == kind]


def short(text: str | None) -> Any:
    """Return a long text as truth.json has it."""
    if text is None or len(text) <= 400:
        return text
    digest = hashlib.sha256(text.encode("utf-16-le", "surrogatepass")).hexdigest()
    return {"length": len(text), "sha256_utf16le": digest}


def storage_key(record: StorageRecord) -> str:
    """Return the storage key as truth.json has it."""
    return f"{record.origin}/^0{record.partition}" if record.partition else str(record.origin)


@pytest.mark.parametrize("name", STORES)
def test_local_storage(name: str) -> None:
    """Every key of every origin and partition has the value that the page saw, and there is no other."""
    found: dict[str, dict[str, Any]] = {}
    for record in records(name, "local-storage"):
        if record.state is State.LIVE:
            found.setdefault(storage_key(record), {})[record.key] = short(record.text)

    assert {truth(name)["origin"]: truth(name)["local_storage"], **truth(name)["partitioned"]} == found


@pytest.mark.parametrize("name", STORES)
def test_indexeddb(name: str) -> None:
    """Every value that was put is read: rewritten, packed, external, as an object, deleted."""
    live = {r.key: r for r in records(name, "indexeddb") if r.state is State.LIVE and r.origin == truth(name)["origin"]}
    for key, expected in truth(name)["indexeddb"].items():
        if expected is None:
            assert key not in live
        elif expected == {"json_of": "large-string"}:
            assert live["large-string"].json == live[key].json
        else:
            assert expected == short(live[key].text)

    assert {("keyval-store", "keyval")} == {(record.database, record.object_store) for record in live.values()}
    assert ["number key", "array key"] == [live["17"].text, live['["arr",2,{"$date":"1970-01-01T00:00:00.000Z"}]'].text]


@pytest.mark.parametrize("name", STORES)
def test_every_kind_of_value(name: str) -> None:
    """The value that has something of each kind is read whole, and the blob is described."""
    live = {record.key: record for record in records(name, "indexeddb") if record.state is State.LIVE}
    rich: dict[str, Any] = dict(cast("Any", live["rich"].json))
    error = rich.pop("err")

    assert rich == RICH
    assert ("RangeError", "bad") == (error["$error"], error["message"])
    blob = cast("Any", live["a-blob"].json)["$blob"]
    assert ("text/plain", 12) == (blob["type"], blob["size"])


@pytest.mark.parametrize("name", STORES)
def test_indexeddb_of_the_partition(name: str) -> None:
    """The widget's own database is found under its origin and partition."""
    [record] = [r for r in records(name, "indexeddb") if r.partition and r.state is State.LIVE]

    assert record.partition == truth(name)["origin"]
    assert ("widget", "kv", "k", {"from": "frame"}) == (record.database, record.object_store, record.key, record.json)


@pytest.mark.parametrize("name", STORES)
def test_history(name: str) -> None:
    """Every older value and deletion of a key is one that was written, in the order in which it was written."""
    found = [record for record in records(name, "local-storage") if storage_key(record) == truth(name)["origin"]]
    count = 0
    for key, written in truth(name)["history"].items():
        versions = sorted((record for record in found if record.key == key), key=lambda record: record.sequence or 0)
        left = iter(written)

        assert all(any(short(record.text) == value for value in left) for record in versions), key
        count += len(versions)
    assert HISTORY[name] == count == len(found)


@pytest.mark.parametrize("name", ["clean", "live", "live-torn"])
def test_deleted_values(name: str) -> None:
    """A key that was removed is not live; where its value still lies, it is deleted; one that came back is live."""
    found = [record for record in records(name, "local-storage") if storage_key(record) == truth(name)["origin"]]
    states = {(record.key, record.text): record.state for record in found}

    assert states["deleted-key", None] is State.DELETED
    assert states.get(("deleted-key", "secret that was removed"), State.DELETED) is State.DELETED
    assert states["reborn-key", "second life"] is State.LIVE
    assert states.get(("reborn-key", "first life"), State.SUPERSEDED) is State.SUPERSEDED
    assert {"was here", None} == {r.text for r in records(name, "indexeddb") if r.key == "to-delete"}


@pytest.mark.parametrize("name", ["live", "live-torn"])
def test_commits_are_dated_in_order(name: str) -> None:
    """The four states of the sidebar were committed one after the other, about a second apart."""
    found = [r for r in records(name, "local-storage") if r.key == "dframe-store"]
    times = [record.time for record in sorted(found, key=lambda record: record.sequence or 0)]

    assert all(record.has_exact_time for record in found)
    assert [moment for moment in times if moment] == sorted({moment for moment in times if moment})
    assert len(times) == 4


@pytest.mark.parametrize("name", STORES)
def test_damage_is_only_what_is_torn(name: str) -> None:
    """Nothing is called damaged but the two logs that were cut on purpose."""
    root = shared_path(f"chromium/{name}")
    damage = [item for item in items(name) if isinstance(item, Damage)]

    assert TORN.get(name, set()) == {(Path(i.place.path).relative_to(root).as_posix(), i.reason) for i in damage}


def test_page_knew_more_than_the_disk() -> None:
    """What the page had not committed yet is not in the store."""
    found = [r for r in records("live", "local-storage") if storage_key(r) == truth("live")["origin"]]
    texts = {record.text for record in found if record.key == "default-model"}

    assert truth("live")["page_knew"]["default-model"] == "claude-not-yet-on-disk"
    assert {"claude-opus-4-6", "claude-opus-4-7"} == texts


@pytest.mark.parametrize(
    "name, states",
    [
        ("leveldb/create key", {State.LIVE: 1}),
        ("leveldb/delete key", {State.DELETED: 2}),
        (
            "indexeddb/chrome/linux_109_64/file__0.indexeddb.leveldb",
            {State.LIVE: 46, State.DELETED: 96, State.SUPERSEDED: 12},
        ),
    ],
)
def test_stores_of_others(corpus: Path, name: str, states: dict[State, int]) -> None:
    """The corpus's stores are read without damage."""
    found = list(read(Files.of(corpus / "leveldb/dfindexeddb" / name)))

    assert not any(isinstance(item, Damage) for item in found)
    assert states == {s: n for s in State if (n := sum(isinstance(e, KeyEntry) and e.state is s for e in found))}


def test_values_of_chromium_109(corpus: Path) -> None:
    """Values of an older format are read whole, external ones too."""
    files = Files.of(corpus / "leveldb/dfindexeddb/indexeddb/chrome/linux_109_64").files
    profile = Files({f"IndexedDB/{name}": data for name, data in files.items()})
    found = [item for item in read_profile(profile) if isinstance(item, StorageRecord) and item.kind == "indexeddb"]

    assert ["1", "2", "3", "4"] == [record.key for record in found]
    assert {None} == {record.note for record in found}
    assert {("file://", "IndexedDB test", "test store a")} == {(r.origin, r.database, r.object_store) for r in found}
    assert all(cast("Any", record.json)["id"] == int(record.key) for record in found)
