"""Pins, groups and unread marks on sessions."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from conftest import shared_path
from leveldb_make import keyval_store, local_storage
from make import ACCOUNT, DESKTOPS, ORGANIZATION, UUID, Draft, desktop_file, home, row

import backscroll
from backscroll.sessions.marks import PINS

OTHER, THIRD = "22222222-2222-4222-8222-222222222222", "33333333-3333-4333-8333-333333333333"


def store(root: Path, files: dict[str, bytes], desktop: str = DESKTOPS[0]) -> None:
    """Write browser storage into a Desktop."""
    for name, data in files.items():
        desktop_file(root, name, data, desktop)


def sidebar(**state: Any) -> dict[str, bytes]:
    """Return what the sidebar keeps in Local Storage."""
    unread = json.dumps({"state": {"unreadIds": state.pop("unread", [])}})
    return local_storage({"dframe-store": json.dumps({"state": state}), "epitaxy-unread-v1": unread})


def marks(root: Path, **options: Any) -> dict[str, Any]:
    """Return the marks of each session."""
    return {one.id: one.marks for one in backscroll.list_sessions(root, **{"marks": True, **options}).sessions}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a home with three sessions in one sidebar, and one of the terminal."""
    Draft("terminal", "/r").prompt("Hi").write(home(tmp_path))
    for number, name in enumerate((UUID, OTHER, THIRD)):
        row(tmp_path, f"app{number}", cliSessionId=name, lastActivityAt=1780000100000 + number)
    return tmp_path


def test_marks_are_joined_onto_sessions(root: Path) -> None:
    """A session has the marks of its row; one without a row has none."""
    store(root, sidebar(pinnedOrder=["code:local_app1"], unread=["local_app0"]))
    found = marks(root)

    assert {"pinned": True, "pin": 1, "group": None, "unread": False} == found[OTHER]
    assert {"pinned": False, "pin": None, "group": None, "unread": True} == found[UUID]
    assert None is found["terminal"]


def test_marks_cost_nothing_where_nobody_asks(root: Path) -> None:
    """Without being asked for, marks are not read."""
    store(root, sidebar(pinnedOrder=["code:local_app1"]))

    assert {None} == set(marks(root, marks=False).values())


def test_what_no_desktop_says_is_unknown(root: Path) -> None:
    """Without browser storage nothing is known of pins: that is not the same as not pinned."""
    assert {"pinned": None, "pin": None, "group": None, "unread": None} == marks(root)[UUID]


def test_only_pinned_ones(root: Path) -> None:
    """`pinned` leaves all others out, whatever the limit, and counts what is left."""
    store(root, keyval_store({PINS: json.dumps({"state": {"starredIds": ["local_app0", "local_app2"]}})}))
    found = backscroll.list_sessions(root, pinned=True, limit=1)

    assert (2, [THIRD]) == (found.total, [one.id for one in found.sessions])


def test_the_sidebar_begins_with_its_pins(root: Path) -> None:
    """Pinned sessions come first, in the order of their pins; the others follow by their last use."""
    store(root, sidebar(pinnedOrder=["code:local_app0", "code:local_app1"]))

    assert [UUID, OTHER, THIRD] == [one.id for one in backscroll.list_sessions(root, sidebar=ACCOUNT).sessions]


@pytest.mark.parametrize("scope, group", [(f"{ACCOUNT}/{ORGANIZATION}", "Shop"), ("other/other", None)])
def test_groups_are_of_one_account(root: Path, scope: str, group: str | None) -> None:
    """A group counts for the rows of its own account and organization, also where only the settings know it."""
    scopes = {scope: {"groups": [{"id": "cg-1", "name": "Shop"}], "assignments": {"code:local_app1": "cg-1"}}}
    settings = {"preferences": {"epitaxyPrefs": {"dframe-group-scopes": scopes}}}
    desktop_file(root, "claude_desktop_config.json", settings)

    assert group == marks(root)[OTHER]["group"]


def test_several_desktops(root: Path) -> None:
    """What two Desktops of one home remember is taken together."""
    store(root, sidebar(pinnedOrder=["code:local_app0"]))
    store(root, sidebar(pinnedOrder=["code:local_app2"]), DESKTOPS[1])
    found = marks(root)

    assert [UUID, THIRD] == sorted(name for name, one in found.items() if one and one["pinned"])


@pytest.mark.corpus
@pytest.mark.parametrize("name", ["clean", "clean-sqlite"])
def test_marks_of_a_real_chromium(name: str, tmp_path: Path) -> None:
    """In a store that Chromium wrote, pins and unread marks are those of the sidebar, in its order."""
    shutil.copytree(shared_path(f"chromium/{name}"), tmp_path / DESKTOPS[0])
    ids = [f"000000{end}-1111-4111-8111-111111111111" for end in ("a1", "b2", "c3", "d4")]
    for number, app in enumerate(ids):
        row(tmp_path, app, lastActivityAt=1780000100000 + number)
    found = backscroll.list_sessions(tmp_path, sidebar=ACCOUNT).sessions

    assert [ids[2], ids[1], ids[0], ids[3]] == [one.id for one in found]
    assert [False, False, True, False] == [one.marks["unread"] for one in found if one.marks]
