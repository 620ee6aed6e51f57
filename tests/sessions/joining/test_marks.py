"""Desktop's marks: each source alone, and which one wins."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from conftest import shared_path
from leveldb_make import Files, keyval_store, local_storage

from backscroll.formats.chromium.profile import read_profile
from backscroll.formats.chromium.records import StorageRecord
from backscroll.sessions.joining.marks import GROUPS, PINS, Group, Marks, Setting, read_marks
from backscroll.stores.browser import BrowserStore

START = datetime.fromtimestamp(1_777_000_000, UTC)
"""When the first commit of a Local Storage that tests build was made; each next one comes a minute later."""

A, B, C = "local_a", "local_b", "local_c"


def marks(files: dict[str, bytes], setting: Setting | None = None) -> Marks:
    """Return the marks of a profile."""
    return read_marks([item for item in read_profile(Files(files)) if isinstance(item, StorageRecord)], setting)


def sidebar(**state: Any) -> dict[str, str]:
    """Return what the sidebar keeps."""
    return {"dframe-store": json.dumps({"state": state, "version": 1})}


def starred(ids: list[str], minutes: float | None = None) -> dict[str, bytes]:
    """Return the pins that newer Desktops keep in IndexedDB, changed so many minutes after the first commit."""
    time = {} if minutes is None else {"updatedAt": int((START.timestamp() + 60 * minutes) * 1000)}
    return keyval_store({PINS: json.dumps({"state": {"starredIds": ids}, **time})})


def test_nothing_known() -> None:
    """Without any source nothing is known: not even that there are no pins."""
    assert Marks() == marks({}) == marks(local_storage({"other": "x"}))


def test_every_kind_of_mark() -> None:
    """Pins, unread marks, panes, folder, model and branches are taken from the keys that hold them."""
    found = marks(
        local_storage(
            {
                **sidebar(pinnedOrder=["code:local_a", A, B, 7]),
                "epitaxy-unread-v1": json.dumps({"state": {"unreadIds": [A], "explicitUnreadIds": [A, C]}}),
                "epitaxy.sidePaneStore.v1": json.dumps(
                    {"state": {"tileLayoutBySession": {A: {"type": "leaf"}, B: None}, "currentSessionId": B}}
                ),
                "ccd-session-store": json.dumps({"state": {"selectedFolder": "C:\\proj"}, "version": 0}),
                "default-model": "claude-opus-4-7",
                "branch-status-cache": json.dumps({"/r": {"branch": "main", "ahead": 1}}),
            }
        )
    )

    assert ([A, B], [A, C], {A: {"type": "leaf"}}, B) == (found.pinned, found.unread, found.panes, found.current)
    assert ("C:\\proj", "claude-opus-4-7") == (found.folder, found.model)
    assert {"/r": {"branch": "main", "ahead": 1}} == found.branches
    assert START == found.sources["model"].since


def test_only_claudes_own_pages_count() -> None:
    """A page embedded in claude.ai, or of another origin, cannot pin anything."""
    pins = sidebar(pinnedOrder=[A])

    assert Marks() == marks(local_storage(pins, origin="https://x.example/^0https://claude.ai"))
    assert Marks() == marks(local_storage(pins, origin="https://evil.claude.ai"))


def test_deleted_marks_are_gone() -> None:
    """What was removed, as on signing out, is no mark any more."""
    assert Marks() == marks(local_storage(sidebar(pinnedOrder=[A]), {"dframe-store": None}))


def test_formats_9_row_20_pins_newest_source_wins() -> None:
    """Row 20: pins lie in dframe-store and, newer, in IndexedDB; the one that was changed last wins."""
    old = local_storage(sidebar(pinnedOrder=[A]))

    assert [B] == marks(old | starred([B], minutes=5)).pinned
    assert [A] == marks(old | starred([B], minutes=-5)).pinned
    assert PINS == marks(old | starred([B], minutes=5)).sources["pinned"].key


def test_a_source_is_as_new_as_its_own_part() -> None:
    """The sidebar is saved whenever its width changes: pins that stayed the same are as old as they were."""
    widened = local_storage(sidebar(pinnedOrder=[A], width=1), sidebar(pinnedOrder=[A], width=2))
    changed = local_storage(sidebar(pinnedOrder=[B], width=1), sidebar(pinnedOrder=[A], width=2))

    assert [C] == marks(widened | starred([C], minutes=0.5)).pinned
    assert [A] == marks(changed | starred([C], minutes=0.5)).pinned


def test_no_stars_mean_that_it_is_not_known() -> None:
    """An empty list in IndexedDB says nothing; where no time is known, newer Desktops' own place wins."""
    assert [A] == marks(local_storage(sidebar(pinnedOrder=[A])) | starred([], minutes=5)).pinned
    assert [] == marks(local_storage(sidebar(pinnedOrder=[]))).pinned
    assert marks(starred([])).pinned is None
    slices = {"LSS-persisted.starred-local-code-sessions": json.dumps({"value": {"ids": [C]}})}
    assert [C] == marks(local_storage({**sidebar(pinnedOrder=[A]), **slices})).pinned


SCOPE = {"groups": [{"id": "cg-1", "name": "Work"}], "assignments": {"code:local_a": "cg-1", B: "cg-9"}, "order": []}
GROUPED = [Group(A, "Work", "acct/org"), Group(B, "cg-9", "acct/org")]


@pytest.mark.parametrize(
    "files",
    [
        local_storage(sidebar(customGroupsByScope={"acct/org": SCOPE})),
        local_storage({"LSS-persisted.dframe-group-scopes": json.dumps({"value": {"acct/org": SCOPE}})}),
        keyval_store({GROUPS: json.dumps({"state": {"acct/org": SCOPE}})}),
        keyval_store({GROUPS: json.dumps({"state": {"customGroupsByScope": {"acct/org": SCOPE}}})}),
    ],
)
def test_groups_by_account(files: dict[str, bytes]) -> None:
    """Groups belong to an account and an organisation; a group whose name is not known shows its id."""
    assert GROUPED == marks(files).groups


def test_groups_of_old_sidebars() -> None:
    """Older sidebars had one list of groups for everybody."""
    old = sidebar(customGroups=SCOPE["groups"], customGroupAssignments={A: "cg-1"}, customGroupOrder=[])

    assert [Group(A, "Work", None)] == marks(local_storage(old)).groups
    assert marks(local_storage(sidebar(pinnedOrder=[]))).groups is None


def test_groups_of_the_settings_file() -> None:
    """The settings file holds a copy of the groups, and wins where it is newer."""
    stored = local_storage(sidebar(customGroupsByScope={"acct/org": {**SCOPE, "assignments": {C: "cg-1"}}}))
    value = {"acct/org": SCOPE}

    assert GROUPED == marks({}, Setting(value, None)).groups
    assert GROUPED == marks(stored, Setting(json.dumps(value), START + timedelta(minutes=1))).groups
    assert [Group(C, "Work", "acct/org")] == marks(stored, Setting(value, START - timedelta(minutes=1))).groups


@pytest.mark.parametrize("value", ["", "{", "[]", "null", "7", '"x"', '{"state":null}', '{"state":{"pinnedOrder":{}}}'])
def test_values_of_another_shape(value: str) -> None:
    """What is not as expected says nothing, and raises nothing."""
    keys = ("dframe-store", "epitaxy-unread-v1", "epitaxy.sidePaneStore.v1", "ccd-session-store")
    files = local_storage(dict.fromkeys((*keys, "LSS-persisted.dframe-group-scopes"), value))

    assert Marks() == marks(files, Setting(value, None))
    assert marks(local_storage({"branch-status-cache": "[1]"})).branches is None


def test_settings_are_read_by_one_name_only(tmp_path: Path) -> None:
    """Of the settings file only the groups leave the store: it holds servers and their secrets too."""
    settings = tmp_path / "claude_desktop_config.json"
    store = BrowserStore(tmp_path, tmp_path)
    assert store.group_scopes() is None
    settings.write_text(json.dumps({"mcpServers": {"x": {"env": {"KEY": "secret"}}}}))
    assert store.group_scopes() is None
    settings.write_text(json.dumps({"preferences": {"epitaxyPrefs": {"dframe-group-scopes": {"a/b": SCOPE}}}}))
    found = store.group_scopes()

    assert found
    assert {"a/b": SCOPE} == found[0]


@pytest.mark.corpus
@pytest.mark.parametrize("name", ["clean", "live", "live-torn", "clean-sqlite"])
def test_marks_of_a_real_chromium(name: str) -> None:
    """In stores that Chromium wrote, the marks are those that the page last set."""
    path = shared_path(f"chromium/{name}")
    found = read_marks([item for item in BrowserStore(path, path).records() if isinstance(item, StorageRecord)])
    ids = [f"local_000000{end}-1111-4111-8111-111111111111" for end in ("c3", "b2", "a1")]

    assert (ids, {ids[2]: {"type": "leaf", "pane": "diff"}}) == (found.pinned, found.panes)
    assert ("claude-opus-4-7", "C:\\Users\\me\\proj") == (found.model, found.folder)
    unread = {"clean": [ids[2]], "clean-sqlite": [ids[2]], "live": [], "live-torn": [ids[1]]}
    assert unread[name] == found.unread
