"""A Chromium that runs here and now: what its page says is what we read, while it writes and after it has quit."""

import json
import time
from pathlib import Path
from typing import Any

import pytest
from chromium import LEVELDB, ORIGIN, SQLITE, Page, needs_chromium

from backscroll.formats.chromium.records import StorageRecord
from backscroll.formats.state import State
from backscroll.records import Damage
from backscroll.stores.browser import BrowserStore

pytestmark = [pytest.mark.slow, needs_chromium]

FLUSH = 1.5
"""Seconds after which an aggressively flushing Chromium has committed."""

OPEN = """
const open = () => new Promise((done, failed) => {
  const request = indexedDB.open('keyval-store', 1);
  request.onupgradeneeded = () => request.result.createObjectStore('keyval');
  request.onsuccess = () => done(request.result);
  request.onerror = () => failed(request.error);
});
const change = async (act) => {
  const database = await open();
  await new Promise((done, failed) => {
    const transaction = database.transaction('keyval', 'readwrite', {durability: 'strict'});
    act(transaction.objectStore('keyval'));
    transaction.oncomplete = done;
    transaction.onabort = () => failed(transaction.error);
  });
  database.close();
};
"""
VALUES = {
    "plain": "text",
    "latin": "café ÿ",
    "wide": "日本語 🙂",
    "キー": "a key that is not Latin-1",
    "": "the empty key",
    "nul\0key": "nul\0value",
    "dframe-store": json.dumps({"state": {"pinnedOrder": ["local_a"]}}),
    "large": "0123456789abcdef" * 10_000,
}
INDEXED = {"small": "indexed", "packed": "abcdefgh" * 40_000, "wide": "日本" * 50_000}
RICH = "{n: 1.5, i: -7, s: 'x', u: undefined, d: new Date(0), m: new Map([['k', [1, , 2]]]), b: 12345678901234567890n}"


def records(profile: Path) -> list[StorageRecord]:
    """Read the profile, of which nothing may be damaged."""
    items = BrowserStore(profile, profile).records()

    assert [] == [item for item in items if isinstance(item, Damage)]
    return [item for item in items if isinstance(item, StorageRecord) and item.origin == ORIGIN]


def live(found: list[StorageRecord], kind: str) -> dict[str, str | None]:
    """Return what a page would see."""
    return {record.key: record.text for record in found if record.kind == kind and record.state is State.LIVE}


def set_all(page: Page, values: dict[str, str]) -> None:
    """Let the page keep values in Local Storage."""
    page.run(f"Object.entries({json.dumps(values)}).forEach(([key, value]) => localStorage.setItem(key, value))")


@pytest.mark.parametrize("engine", [LEVELDB, SQLITE], ids=["leveldb", "sqlite"])
def test_store_of_this_chromium(engine: str, tmp_path: Path) -> None:
    """All that a page keeps is read right while the browser runs and when it has quit; its history from LevelDB too."""
    profile = tmp_path / "Default"
    with Page(tmp_path, engine) as page:
        set_all(page, {"gone": "was here", "plain": "older"})
        time.sleep(FLUSH)
        set_all(page, VALUES)
        page.run("localStorage.removeItem('gone')")
        page.run(
            f"(async () => {{ {OPEN} const texts = {json.dumps(INDEXED)};"
            f" for (const [key, value] of Object.entries(texts)) await change((store) => store.put(value, key));"
            f" await change((store) => store.put({RICH}, 'rich')); await change((store) => store.put('x', 'gone'));"
            " await change((store) => store.delete('gone')); })()"
        )
        time.sleep(FLUSH)
        running = records(profile)
    stopped = records(profile)

    for found in (running, stopped):
        assert VALUES == live(found, "local-storage")
        indexed = live(found, "indexeddb")
        rich: Any = next(record.json for record in found if record.key == "rich" and record.state is State.LIVE)
        assert {**INDEXED, "rich": indexed["rich"]} == indexed
        assert (1.5, -7, {"$undefined": True}) == (rich["n"], rich["i"], rich["u"])
        assert {"$map": [["k", [1, {"$hole": True}, 2]]]} == rich["m"]
    if engine == LEVELDB:
        history = {(record.key, record.text): record.state for record in running}
        assert State.SUPERSEDED is history["plain", "older"]
        assert State.DELETED is history["gone", "was here"] is history["gone", None]


BUSY = """
window.count = 0;
const value = (size) => String(count) + 'x'.repeat(size + count % size);
const work = async () => {
  for (;;) {
    count += 1;
    localStorage.setItem('first', String(count));
    localStorage.setItem('filling', value(90000));
    localStorage.setItem('second', String(count));
    await change((store) => store.put(value(3000), 'filling'));
    await new Promise((done) => setTimeout(done, 120));
  }
};
work();
"""


def number_of(filling: str | None, size: int) -> int:
    """Return the number that a long value begins with, which also says how long it must be."""
    text = (filling or "").rstrip("x")

    assert len(filling or "") - len(text) == size + int(text) % size
    return int(text)


def test_live_store_read_200_times(tmp_path: Path) -> None:
    """A store that is written to all the time, tables and compactions included, is right each of 200 times."""
    profile = tmp_path / "Default"
    local = indexed = 0
    generations = set()
    with Page(tmp_path) as page:
        page.run(f"(async () => {{ {OPEN} {BUSY} }})()")
        time.sleep(FLUSH)
        for _ in range(200):
            items = records(profile)
            known = page.run("count")
            found, kept = live(items, "local-storage"), live(items, "indexeddb")
            first, second = int(found["first"] or 0), int(found["second"] or 0)

            assert local <= second <= first <= second + 1 <= known + 1
            assert second <= number_of(found["filling"], 90000) <= first
            assert indexed <= number_of(kept["filling"], 3000) <= known
            local, indexed = second, number_of(kept["filling"], 3000)
            generations.add(tuple(sorted(path.name for path in profile.rglob("*.ldb"))))

    assert indexed > local > 1
    assert len(generations) > 1
