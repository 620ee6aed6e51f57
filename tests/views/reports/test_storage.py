"""Browser storage for people and for scripts."""

import json
from dataclasses import replace
from datetime import UTC, datetime

from backscroll.formats.chromium.records import StorageRecord
from backscroll.formats.state import State
from backscroll.place import Place
from backscroll.records import Damage
from backscroll.stores.desktop_files.storage import Storage
from backscroll.views.reports.storage import storage_document, storage_report
from backscroll.views.terminal.paper import Paper, plain

LIVE = StorageRecord(
    kind="local-storage",
    key="dframe-store",
    state=State.LIVE,
    place=Place("/p/000003.log", None, 12),
    origin="https://claude.ai",
    text='{"state":{"pinnedOrder":[]}}',
    json={"state": {"pinnedOrder": []}},
    has_json=True,
    value_bytes=bytes(29),
    sequence=7,
    time=datetime(2026, 5, 1, 10, tzinfo=UTC),
    has_exact_time=True,
)
DELETED = replace(
    LIVE, state=State.DELETED, text=None, json=None, has_json=False, value_bytes=None, sequence=9, has_exact_time=False
)
INDEXED = replace(
    LIVE, kind="indexeddb", partition="https://claude.ai", database="db", object_store="kv", text="\x1b[2J"
)
BROKEN = Damage(Place("/p/000004.log", None, 0, 5), "torn")


def shown(*records: StorageRecord, is_full: bool = False, width: int | None = None) -> str:
    """Return the answer for people."""
    paper = Paper(width=width, zone=UTC, is_full=is_full)
    return "\n".join(plain(line) for line in storage_report(Storage(list(records), [BROKEN]), paper))


def test_table_by_place() -> None:
    """Each origin, partition and database has a table of its own; states are shown where there are some."""
    text = shown(LIVE, DELETED, INDEXED)

    assert "https://claude.ai: Local Storage  1 key\n" in text
    assert "https://claude.ai embedded in https://claude.ai: IndexedDB db / kv  1 key\n" in text
    assert "deleted" in text
    assert "\\x1b[2J" in text
    assert "/p/000004.log (byte 0): torn" in text
    assert "deleted" not in shown(LIVE)


def test_narrow_paper() -> None:
    """No line is wider than the terminal."""
    lines = shown(replace(LIVE, text="x" * 500, key="k" * 200), DELETED, width=60).splitlines()

    assert max(map(len, lines[1:-2])) <= 60


def test_whole_values() -> None:
    """A value that was asked for by its key is shown whole, JSON with its structure, and where it lies."""
    text = shown(LIVE, DELETED, is_full=True)

    assert '    "state": {\n      "pinnedOrder": []\n    }' in text
    assert "dframe-store  live, 29 B, sequence 7, committed 2026-05-01 10:00\n  /p/000003.log (byte 12)" in text
    assert "dframe-store  deleted, sequence 9, committed by 2026-05-01 10:00" in text


def test_withheld_and_nothing() -> None:
    """It is said that secrets are withheld, and that there is nothing."""
    assert "--secrets shows them" in shown(replace(LIVE, is_withheld=True))
    assert shown().startswith("Nothing found in browser storage.")


def test_document() -> None:
    """JSON has the keys of the contract: a deletion has no value, and only what parses has `json`."""
    answer = json.loads("".join(storage_document(Storage([LIVE, DELETED], [BROKEN]))))
    live, deleted = answer["records"]

    assert {"state": {"pinnedOrder": []}} == live["json"] == json.loads(live["value"])
    assert (29, 7, "2026-05-01T10:00:00.000Z", "live", 12) == (
        live["bytes"],
        live["sequence"],
        live["time"],
        live["state"],
        live["place"]["offset"],
    )
    assert (None, None, "deleted") == (deleted["value"], deleted["bytes"], deleted["state"])
    assert "json" not in deleted
    assert ["torn"] == [item["reason"] for item in answer["damage"]]
