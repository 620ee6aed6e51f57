"""What is chosen from browser storage, and which secrets are withheld."""

from pathlib import Path

import pytest
from leveldb_make import Files, keyval_store, local_storage

import backscroll
from backscroll.formats.chromium.records import StorageRecord
from backscroll.formats.state import State
from backscroll.place import Place
from backscroll.records import Json
from backscroll.stores.desktop_files.allowed import WITHHELD
from backscroll.stores.desktop_files.storage import NOTE, withheld

WIDGET = "https://0123.claudemcpcontent.com"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a profile with two origins, a history, a deletion, and a database."""
    own = local_storage(
        {"model": "one", "gone": "was here", "a[b]": "x"}, {"model": "two", "gone": None, "キー": "日本"}
    )
    other = {f"Partitions/widgets/{name}": data for name, data in local_storage({"model": "w"}, origin=WIDGET).items()}
    return Files(own | other | keyval_store({"model": "indexed", "other": "o"})).write(tmp_path / "profile")


def found(records: list[StorageRecord]) -> list[tuple[str, str | None, str]]:
    """Return key, value and state of records."""
    return [(record.key, record.text, str(record.state)) for record in records]


def test_live_values_of_local_storage(root: Path) -> None:
    """Unasked, what pages would see in Local Storage now is shown, claude.ai's first."""
    records = backscroll.storage(root=root).records

    assert [("a[b]", "x", "live"), ("model", "two", "live"), ("キー", "日本", "live"), ("model", "w", "live")] == found(
        records
    )
    assert {("https://claude.ai", None), (WIDGET, None)} == {(record.origin, record.partition) for record in records}


def test_history(root: Path) -> None:
    """What is deleted or superseded is shown when it is asked for, newest first, each with the time of its commit."""
    records = backscroll.storage("gone", root, deleted=True).records

    assert [("gone", None, "deleted"), ("gone", "was here", "deleted")] == found(records)
    assert ["2026-04-24T03:07", "2026-04-24T03:06"] == [r.time.isoformat()[:16] for r in records if r.time]
    assert [] == backscroll.storage("gone", root).records


def test_keys(root: Path) -> None:
    """A key is looked for everywhere; a star stands for anything, and nothing else for anything but itself."""
    assert {("two", "local-storage"), ("w", "local-storage"), ("indexed", "indexeddb")} == {
        (record.text, record.kind) for record in backscroll.storage("model", root).records
    }
    assert 3 == len(backscroll.storage("mod*", root).records)
    assert ["x"] == [record.text for record in backscroll.storage("a[b*", root).records]
    assert [] == backscroll.storage("mod", root).records
    assert [] == backscroll.storage("mode?", root).records


@pytest.mark.parametrize("origin", [WIDGET, WIDGET + "/", "0123.claudemcpcontent.com", "*.claudemcpcontent.com"])
def test_origins(origin: str, root: Path) -> None:
    """An origin is named with or without its scheme, or by a pattern; its end alone is not enough."""
    assert ["w"] == [record.text for record in backscroll.storage(root=root, origin=origin).records]
    assert [] == backscroll.storage(root=root, origin="claudemcpcontent.com").records


def test_indexeddb_and_everything(root: Path) -> None:
    """IndexedDB, and what the browser keeps for itself, are added when they are asked for."""
    plain = backscroll.storage(root=root).records
    indexed = backscroll.storage(root=root, indexeddb=True).records
    everything = backscroll.storage(root=root, everything=True).records

    assert 2 == len(indexed) - len(plain)
    assert {"local-storage", "indexeddb", "metadata"} == {record.kind for record in everything}


def test_damage(root: Path) -> None:
    """A torn log is damage with its place, and the records before it are there."""
    log = root / "Local Storage/leveldb/000003.log"
    log.write_bytes(log.read_bytes()[:-3])
    storage = backscroll.storage(root=root, origin="claude.ai")

    assert [("a[b]", "x", "live"), ("gone", "was here", "live"), ("model", "one", "live")] == found(storage.records)
    assert [str(log)] == [damage.place.path for damage in storage.damage]


def record(key: str, text: str, json: Json = None) -> StorageRecord:
    """Return a record with a value."""
    return StorageRecord("local-storage", key, State.LIVE, Place("x"), text=text, json=json, has_json=json is not None)


@pytest.mark.parametrize(
    "key, text",
    [
        ("accessToken", "abc"),
        ("sessionKey", "abc"),
        ("api-key", "abc"),
        ("x.refresh_token", "abc"),
        ("OAUTH_SECRET", "abc"),
        ("note", "my sk-ant-api03-abcdefgh-12345 is here"),
        ("note", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.abc-def"),
        ("note", "ghp_0123456789abcdefghij"),
    ],
)
def test_secrets_are_withheld(key: str, text: str) -> None:
    """What is called like a secret, or looks like one, is not shown."""
    shown = withheld(record(key, text))

    assert WITHHELD in (shown.text or "")
    assert (True, NOTE) == (shown.is_withheld, shown.note)


@pytest.mark.parametrize("key", ["deleted-key", "dframe-store", "keyboard", "author", "passage", ""])
def test_other_values_are_not_touched(key: str) -> None:
    """Names that only resemble those of secrets change nothing; nor do numbers, or what is empty."""
    for value in (record(key, "abc"), record(key, '{"inputTokens":5}', {"inputTokens": 5}), record("token", "")):
        assert value == withheld(value)


def test_secrets_inside_json() -> None:
    """In JSON only the secret itself is withheld, however deep it lies."""
    shown = withheld(
        record("state", "…", {"user": {"accessToken": "abc", "name": "Ann"}, "list": [{"password": ["p"]}]})
    )

    assert {"user": {"accessToken": WITHHELD, "name": "Ann"}, "list": [{"password": [WITHHELD]}]} == shown.json
    assert '"name": "Ann"' in (shown.text or "")


def test_secrets_can_be_asked_for(tmp_path: Path) -> None:
    """With `secrets` everything is as it is stored."""
    Files(local_storage({"accessToken": "abc"})).write(tmp_path)

    assert [WITHHELD] == [item.text for item in backscroll.storage(root=tmp_path).records]
    assert ["abc"] == [item.text for item in backscroll.storage(root=tmp_path, secrets=True).records]
