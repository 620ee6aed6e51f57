"""Desktop's marks on sessions: pins, groups, unread marks and panes, joined by rows, and read when storage changes."""

import json
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from command import answer, run
from conftest import shared_path
from leveldb_make import Files, local_storage
from make import ACCOUNT, DESKTOPS, ORGANIZATION, UUID, Draft, desktop_file, home, indexed, row

import backscroll
from backscroll.index.queries import sessions as query
from backscroll.index.queries.session_filter import SessionFilter
from backscroll.stores.browser import BrowserStore

APP, OTHER_APP = "aaaaaaaa-1111-4111-8111-111111111111", "bbbbbbbb-1111-4111-8111-111111111111"
OTHER = "22222222-2222-4222-8222-222222222222"
TERMINAL = "33333333-3333-4333-8333-333333333333"
SCOPE = f"{ACCOUNT}/{ORGANIZATION}"


def keep(root: Path, *, desktop: str = DESKTOPS[0], **state: Any) -> None:
    """Let Desktop's sidebar keep something."""
    Files(local_storage({"dframe-store": json.dumps({"state": state, "version": 1})})).write(root / desktop)


def group(name: str, *apps: str) -> dict[str, Any]:
    """Return a group with some sessions."""
    return {"groups": [{"id": "cg-1", "name": name}], "assignments": {f"code:local_{app}": "cg-1" for app in apps}}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a home with two sessions of Desktop and one of the terminal."""
    for session, app in ((UUID, APP), (OTHER, OTHER_APP)):
        Draft(session, "/r").prompt("Hello").answer("Hi.").write(home(tmp_path))
        row(tmp_path, app, cliSessionId=session)
    Draft(TERMINAL, "/r").prompt("Hello").answer("Hi.").write(tmp_path)
    return tmp_path


def marks(root: Path, database: sqlite3.Connection | None = None) -> dict[str, Any]:
    """Return the marks of every session."""
    found = query.sessions(indexed(root, database), SessionFilter(), None)
    return {session.id: session.marks for session in found}


def test_pins_are_joined_through_rows(root: Path) -> None:
    """A pinned row pins its session; another row's session is not pinned; one of the terminal has no marks."""
    keep(root, pinnedOrder=[f"code:local_{APP}"])
    found = marks(root)

    assert [(True, 1), (False, None)] == [(found[name]["pinned"], found[name]["pin"]) for name in (UUID, OTHER)]
    assert found[TERMINAL] is None


def test_only_pinned_ones(root: Path) -> None:
    """`pinned` leaves all others out, whatever the limit, and counts what is left."""
    assert 0 == backscroll.list_sessions(root, pinned=True).total
    keep(root, pinnedOrder=[f"code:local_{APP}", f"local_{OTHER_APP}"])
    found = backscroll.list_sessions(root, pinned=True, limit=1)

    assert (2, 1) == (found.total, len(found.sessions))
    assert {UUID, OTHER} == {session.id for session in backscroll.list_sessions(root, pinned=True).sessions}


def test_nothing_is_known_without_storage(root: Path) -> None:
    """Without browser storage nothing is known: that is not the same as not pinned."""
    nothing = dict.fromkeys(("pinned", "pin", "group", "unread", "panes", "branch_status"))

    assert nothing == marks(root)[UUID]


@pytest.mark.parametrize("scope, expected", [(SCOPE, "Work"), ("other/other", None)])
def test_groups_are_of_one_account(scope: str, expected: str | None, root: Path) -> None:
    """A group counts for the rows of its own account and organisation."""
    keep(root, customGroupsByScope={scope: group("Work", APP)})

    assert expected == marks(root)[UUID]["group"]


def test_groups_of_the_settings_alone(root: Path) -> None:
    """Where Desktop has no browser storage, the groups in its settings count; a change of them is seen."""
    database = indexed(root)
    for name in ("Work", "Play"):
        settings = {"preferences": {"epitaxyPrefs": {"dframe-group-scopes": {SCOPE: group(name, APP)}}}}
        desktop_file(root, "claude_desktop_config.json", settings)
        assert name == marks(root, database)[UUID]["group"]
        assert [name] == [group.name for desktop in backscroll.marks(root) for group in desktop.marks.groups or []]


def test_unread_marks_panes_and_branches(root: Path) -> None:
    """Unread marks, the layout of panes and the branch of the directory are joined too."""
    values = {
        "epitaxy-unread-v1": {"state": {"unreadIds": [f"local_{APP}"]}},
        "epitaxy.sidePaneStore.v1": {"state": {"tileLayoutBySession": {f"local_{APP}": {"pane": "diff"}}}},
        "branch-status-cache": {"/r/": {"branch": "main"}, "/x": {}},
    }
    Files(local_storage({key: json.dumps(value) for key, value in values.items()})).write(root / DESKTOPS[0])
    found = marks(root)

    assert (True, False) == (found[UUID]["unread"], found[OTHER]["unread"])
    assert ({"pane": "diff"}, None) == (found[UUID]["panes"], found[OTHER]["panes"])
    assert {"branch": "main"} == found[UUID]["branch_status"]


def test_changes_are_seen_at_the_next_look(root: Path) -> None:
    """A changed storage is read again; one that is gone says nothing any more."""
    database = indexed(root)
    keep(root, pinnedOrder=[f"local_{APP}"])
    assert marks(root, database)[UUID]["pinned"] is True
    keep(root, pinnedOrder=[f"local_{OTHER_APP}"])
    assert marks(root, database)[UUID]["pinned"] is False
    for path in (root / DESKTOPS[0] / "Local Storage/leveldb").iterdir():
        path.unlink()
    assert marks(root, database)[UUID]["pinned"] is None


def test_storage_is_opened_only_when_it_changed(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As long as no file of a profile changes, none is opened."""
    keep(root, pinnedOrder=[f"local_{APP}"])
    database = indexed(root)

    def refuse(store: BrowserStore) -> None:
        raise AssertionError(f"{store.path} was read")

    monkeypatch.setattr(BrowserStore, "records", refuse)

    assert marks(root, database)[UUID]["pinned"] is True


def test_several_desktops(root: Path) -> None:
    """What two Desktops of one home remember is taken together."""
    keep(root, pinnedOrder=[f"local_{APP}"])
    keep(root, desktop=DESKTOPS[1], pinnedOrder=[f"local_{OTHER_APP}"])
    found = marks(root)

    assert [1, 2] == sorted([found[UUID]["pin"], found[OTHER]["pin"]])


def test_sidebar_shows_pins_first(root: Path) -> None:
    """As in Desktop, pinned sessions stand first, in the order of the pins."""
    for pins in ([APP, OTHER_APP], [OTHER_APP, APP], [OTHER_APP]):
        keep(root, pinnedOrder=[f"local_{app}" for app in pins])
        shown = [session.id for session in backscroll.list_sessions(root, sidebar=ACCOUNT).sessions]
        assert [{APP: UUID, OTHER_APP: OTHER}[app] for app in dict.fromkeys([*pins, APP])] == shown


@pytest.mark.corpus
@pytest.mark.parametrize("name", ["clean", "clean-sqlite"])
def test_marks_of_a_real_chromium(name: str, tmp_path: Path) -> None:
    """In a store that Chromium wrote, pins and unread marks are those of the sidebar, in its order."""
    shutil.copytree(shared_path(f"chromium/{name}"), tmp_path / DESKTOPS[0])
    ids = [f"000000{end}-1111-4111-8111-111111111111" for end in ("a1", "b2", "c3", "d4")]
    for number, app in enumerate(ids):
        row(tmp_path, app, lastActivityAt=1780000100000 + number)
    found = backscroll.list_sessions(tmp_path, sidebar=ACCOUNT).sessions

    assert [ids[2], ids[1], ids[0], ids[3]] == [session.id for session in found]
    assert [False, False, True, False] == [session.marks["unread"] for session in found if session.marks]


def test_damage_inside_storage_is_damage_of_its_store(root: Path) -> None:
    """`stores` tells what is damaged inside a profile, each time it is asked."""
    keep(root, pinnedOrder=[f"local_{APP}"])
    log = root / DESKTOPS[0] / "Local Storage/leveldb/000003.log"
    log.write_bytes(log.read_bytes() + b"torn")
    database = indexed(root)

    for _ in range(2):
        [browser] = [store for store in query.stores(indexed(root, database)) if store.kind == "browser"]
        assert [str(log)] == [item.place.path for item in browser.damage]


def test_as_a_user_sees_it(root: Path) -> None:
    """`list` and `show` tell pins and groups, and `--pinned` leaves out the rest."""
    keep(root, pinnedOrder=[f"local_{APP}"], customGroupsByScope={SCOPE: group("Work \x1b[2J", APP)})
    pinned = answer(root, "list", "--pinned")["sessions"]

    assert "pinned, Work \\x1b[2J" in run("--root", root, "list").stdout.decode()
    assert [(UUID, "Work \x1b[2J")] == [(item["id"], item["marks"]["group"]) for item in pinned]
    assert "pinned, Work" in run("--root", root, "show", UUID).stdout.decode()
