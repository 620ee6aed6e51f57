"""Desktop's marks on sessions: pins, groups, unread marks and panes, joined by rows, and read when storage changes."""

import json
from pathlib import Path
from typing import Any

import pytest
from command import answer, run
from leveldb_make import Files, local_storage
from make import ACCOUNT, DESKTOPS, ORGANIZATION, UUID, Draft, home, indexed, listed, row

from backscroll import verbs
from backscroll.index import query
from backscroll.stores import BrowserStore

APP, OTHER_APP = "aaaaaaaa-1111-4111-8111-111111111111", "bbbbbbbb-1111-4111-8111-111111111111"
OTHER = "22222222-2222-4222-8222-222222222222"
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
    Draft("33333333-3333-4333-8333-333333333333", "/r").prompt("Hello").answer("Hi.").write(tmp_path)
    return tmp_path


def test_pins_are_joined_through_rows(root: Path) -> None:
    """A pinned row pins its session; another row's session is not pinned; the terminal's cannot be."""
    keep(root, pinnedOrder=[f"code:local_{APP}"])
    sessions = listed(root)

    assert (True, False, None) == tuple(sessions[name].pinned for name in sorted(sessions))
    found = verbs.list_sessions(root, pinned=True)
    assert (1, [UUID]) == (found.total, [session.id for session in found.sessions])


def test_nothing_is_known_without_storage(root: Path) -> None:
    """Without browser storage it is not known what is pinned."""
    assert {None} == {session.pinned for session in listed(root).values()}
    assert 0 == verbs.list_sessions(root, pinned=True).total


def test_groups_of_the_own_account_win(root: Path) -> None:
    """A session's group is that of its row's account and organisation; of another scope where there is no other."""
    keep(root, customGroupsByScope={"x/y": group("Theirs", APP, OTHER_APP), SCOPE: group("Work", APP)})
    sessions = listed(root)

    assert ("Work", "Theirs") == (sessions[UUID].group, sessions[OTHER].group)


def test_unread_marks_and_panes(root: Path) -> None:
    """Unread marks and the layout of panes are joined too."""
    values = {
        "epitaxy-unread-v1": json.dumps({"state": {"unreadIds": [f"local_{APP}"]}}),
        "epitaxy.sidePaneStore.v1": json.dumps({"state": {"tileLayoutBySession": {f"local_{APP}": {"pane": "diff"}}}}),
    }
    Files(local_storage(values)).write(root / DESKTOPS[0])
    sessions = listed(root)

    assert (True, False) == (sessions[UUID].unread, sessions[OTHER].unread)
    assert ({"pane": "diff"}, None) == (sessions[UUID].panes, sessions[OTHER].panes)


def test_branch_cache_is_joined_by_directory(root: Path) -> None:
    """What Desktop last knew of a directory's branch belongs to every session held there, the terminal's too."""
    Files(local_storage({"branch-status-cache": json.dumps({"/r/": {"branch": "main"}, "/x": {}})})).write(
        root / DESKTOPS[0]
    )

    assert [{"branch": "main"}] * 3 == [session.branch_status for session in listed(root).values()]


def test_changes_are_seen_at_the_next_look(root: Path) -> None:
    """A changed storage is read again; one that is gone says nothing any more."""
    database = indexed(root)
    keep(root, pinnedOrder=[f"local_{APP}"])
    assert query.session(indexed(root, database), UUID).pinned is True
    keep(root, pinnedOrder=[f"local_{OTHER_APP}"])
    assert query.session(indexed(root, database), UUID).pinned is False
    for path in (root / DESKTOPS[0] / "Local Storage/leveldb").iterdir():
        path.unlink()
    assert query.session(indexed(root, database), UUID).pinned is None


def test_storage_is_opened_only_when_it_changed(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As long as no file of a profile changes, none is opened."""
    keep(root, pinnedOrder=[f"local_{APP}"])
    database = indexed(root)

    def refuse(store: BrowserStore) -> None:
        raise AssertionError(f"{store.path} was read")

    monkeypatch.setattr(BrowserStore, "records", refuse)

    assert query.session(indexed(root, database), UUID).pinned is True


def test_several_desktops(root: Path) -> None:
    """What any Desktop pinned is pinned."""
    keep(root, pinnedOrder=[])
    keep(root, desktop=DESKTOPS[1], pinnedOrder=[f"local_{OTHER_APP}"])
    sessions = listed(root)

    assert (False, True) == (sessions[UUID].pinned, sessions[OTHER].pinned)


def test_sidebar_shows_pins_first(root: Path) -> None:
    """As in Desktop, pinned sessions stand first, in the order of the pins."""
    for pins in ([APP, OTHER_APP], [OTHER_APP, APP]):
        keep(root, pinnedOrder=[f"local_{app}" for app in pins])
        shown = [session.id for session in verbs.list_sessions(root, sidebar=ACCOUNT).sessions]
        assert [{APP: UUID, OTHER_APP: OTHER}[app] for app in pins] == shown


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
    """`list` shows stars and groups, `--pinned` leaves out the rest, `show` tells the marks."""
    keep(root, pinnedOrder=[f"local_{APP}"], customGroupsByScope={SCOPE: group("Work \x1b[2J", APP)})
    text = run("--root", root, "list").stdout.decode()

    assert "★ Work \\x1b[2J" in text
    assert [(UUID, True, "Work \x1b[2J")] == [
        (item["id"], item["pinned"], item["group"]) for item in answer(root, "list", "--pinned")["sessions"]
    ]
    assert "pinned, in group Work" in run("--root", root, "show", UUID).stdout.decode()
