"""Rows: whose they are, what they say, and what is left of damaged ones."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from make import ACCOUNT, APP, CODE_ROWS, COWORK_ROWS, DESKTOPS, ORGANIZATION, UUID, desktop_file, manifest, row

from backscroll.stores.desktop_files import rows
from backscroll.stores.desktop_files.rows import Row

OTHER, THIRD = "22222222-2222-4222-8222-222222222222", "33333333-3333-4333-8333-333333333333"


def read(path: Path) -> Row:
    """Return a row."""
    return rows.read_row(str(path))[0]


def test_what_a_row_says(tmp_path: Path) -> None:
    """Id, owners, title, times, places and lineage are taken from a row, times as UTC."""
    found = read(row(tmp_path, cliSessionId=UUID, branch="claude/w", worktreePath="/r/w", error="boom"))

    expected = {"id": f"local_{APP}", "product": "code", "kind": "local", "account": ACCOUNT, "title": "Fix"}
    expected |= {"organization": ORGANIZATION, "created": "2026-05-28T20:26:40.000Z", "cwd": "/r", "branch": "claude/w"}
    expected |= {"active": "2026-05-28T20:28:20.000Z", "worktree": "/r/w", "error": "boom", "model": "claude-x[1m]"}
    assert expected == {key: found[key] for key in expected}
    assert ([UUID], None, True, False) == (found["lineage"], found["damage"], found["loads"], found["archived"])


def test_the_lineage_has_every_id_once(tmp_path: Path) -> None:
    """All ids under which the command line knew a session count, the present one first, and only those that are ids."""
    path = row(
        tmp_path,
        cliSessionId=UUID,
        unarchivedCliSessionId=OTHER,
        preClearCliSessionId=UUID,
        priorCliSessionIds=[THIRD, OTHER, "../../etc/passwd", 7, None, ""],
    )

    assert [UUID, OTHER, THIRD] == read(path)["lineage"]


def test_the_person_is_told_apart(tmp_path: Path) -> None:
    """E-mail address and name do not stand in the row that lists hand out."""
    path = manifest(tmp_path, emailAddress="ann@example.com", accountName="Ann")
    found, person = rows.read_row(str(path))

    assert {"email": "ann@example.com", "name": "Ann"} == person
    assert "ann" not in json.dumps({**found, "folders": [], "path": ""}).lower()


@pytest.mark.parametrize(
    "fields, product",
    [
        ({"processName": "calm-river"}, "cowork"),
        ({"userSelectedFolders": None}, "cowork"),
        ({"hostLoopMode": False}, "cowork"),
        ({"cwd": "/sessions/calm-river/mnt"}, "cowork"),
        ({"sessionType": "scheduled", "permissionMode": "auto"}, "cowork"),
        ({"originCwd": "/r", "completedTurns": 3}, "code"),
        ({"permissionMode": "plan"}, "code"),
        ({"cwd": "/r", "model": "claude-x", "title": "T"}, "code"),
        ({}, "code"),
    ],
)
@pytest.mark.parametrize("tree", [CODE_ROWS, COWORK_ROWS])
def test_a_row_is_classified_by_its_fields(tmp_path: Path, tree: str, fields: dict[str, Any], product: str) -> None:
    """Old versions mixed the two directories, so the directory says nothing."""
    path = desktop_file(tmp_path, f"{tree}/a/o/local_x.json", {"sessionId": "local_x", **fields})

    assert product == read(path)["product"]


@pytest.mark.parametrize(
    "fields, kind, held",
    [
        ({}, "local", None),
        ({"sshConfig": {"host": "box", "user": "ann", "password": "hidden"}}, "ssh", "on the SSH host ann@box"),
        ({"sshConfig": {}, "sshRemoteTranscriptPath": "/h/x.jsonl"}, "ssh", "on the SSH host: /h/x.jsonl"),
        ({"wslConfig": {"distro": "Ubuntu"}}, "wsl", "inside WSL, in the home directory of Ubuntu"),
        ({"cloudSessionId": "session_1"}, "cloud", "in Anthropic's cloud, as session_1"),
        ({"movedToCloud": True}, "cloud", "in Anthropic's cloud"),
    ],
)
def test_kinds_of_the_code_tab(tmp_path: Path, fields: dict[str, Any], kind: str, held: str | None) -> None:
    """A row tells where its session ran, and who holds a transcript that is not here."""
    found = read(row(tmp_path, **fields))

    assert (kind, held) == (found["kind"], found["held"])


@pytest.mark.parametrize(
    "fields, kind",
    [
        ({}, "vm"),
        ({"hostLoopMode": True}, "host"),
        ({"processName": None, "vmProcessName": None, "cwd": "/home/ann/out"}, None),
    ],
)
def test_kinds_of_cowork(tmp_path: Path, fields: dict[str, Any], kind: str | None) -> None:
    """A Cowork session ran in the virtual machine or on the host; where nothing tells, nothing is claimed."""
    assert kind == read(manifest(tmp_path, **fields))["kind"]


@pytest.mark.parametrize(
    "data, reason",
    [
        (b"", "empty"),
        (b"\0" * 144_258, "nothing but 144,258 NUL bytes"),
        (b"[]", "not a JSON object"),
        (b"42", "not a JSON object"),
        (b"{}", "no sessionId: Claude Desktop would not load it"),
        (b'{"sessionId": 7}', "no sessionId: Claude Desktop would not load it"),
        (b"{", "not JSON: Expecting property name enclosed in double quotes: line 1 column 2 (char 1)"),
    ],
)
def test_damaged_rows_say_why(tmp_path: Path, data: bytes, reason: str) -> None:
    """H58: whatever is wrong with a row is said, and its id is that of its file."""
    found = read(desktop_file(tmp_path, f"{CODE_ROWS}/{ACCOUNT}/{ORGANIZATION}/local_{APP}.json", data))

    assert (reason, f"local_{APP}", ACCOUNT) == (found["damage"], found["id"], found["account"])


def test_a_half_written_row_gives_what_stands_in_front(tmp_path: Path) -> None:
    """The fields before a cut are used; a value that the cut may have shortened is not."""
    path = row(tmp_path, cliSessionId=UUID)
    whole = path.read_bytes()
    cut = whole.index(b'"title"')
    path.write_bytes(whole[:cut] + b"\0" * 50)
    found = read(path)

    assert str(found["damage"]).startswith("not JSON: ")
    assert ("/r", "claude-x[1m]", None) == (found["cwd"], found["model"], found["title"])
    path.write_bytes(b'{"sessionId": "local_x", "cwd": "/r", "createdAt": 17800')
    assert None is read(path)["created"]


def test_a_row_that_is_too_large(tmp_path: Path) -> None:
    """A row above 10 MiB is ignored by Desktop: it is read as far as it goes, and the reason given."""
    found = read(row(tmp_path, cliSessionId=UUID, zz="x" * (10 << 20)))

    assert "larger than 10 MiB: Claude Desktop ignores it" == found["damage"]
    assert "Fix" == found["title"]


def test_a_row_that_cannot_be_opened(tmp_path: Path) -> None:
    """A directory in the place of a row is damage, not a fault."""
    path = tmp_path / "local_x.json"
    path.mkdir()

    assert "not a regular file (directory)" == read(path)["damage"]


def test_lone_surrogates_become_text(tmp_path: Path) -> None:
    """What no database could hold is replaced, wherever it stands."""
    path = desktop_file(
        tmp_path, f"{CODE_ROWS}/a/o/local_x.json", b'{"sessionId":"local_x","title":"a\\ud83d","cwd":"/r"}'
    )

    assert "a\ufffd" == read(path)["title"]


@pytest.mark.parametrize("time", [0, -5, 1e400, "soon", None, True, 10**20])
def test_times_that_are_none(tmp_path: Path, time: Any) -> None:
    """A time that cannot be is unknown, never the beginning of all times."""
    found = read(row(tmp_path, createdAt=time, lastActivityAt=time))

    assert (None, None) == (found["created"], found["active"])


@pytest.mark.parametrize("name", ["../../etc/passwd", "x" * 1000, "a\nb", "", "\x1b[2J"])
def test_an_id_that_is_none(tmp_path: Path, name: str) -> None:
    """T04: an id that could lead anywhere, or fill the screen, is not taken: the file's own name is."""
    assert f"local_{APP}" == read(row(tmp_path, sessionId=name))["id"]


def test_tombstones(tmp_path: Path) -> None:
    """A tombstone names an id and says when it was deleted; a broken one only names it."""
    good = desktop_file(tmp_path, f"{CODE_ROWS}/{ACCOUNT}/{ORGANIZATION}/deleted_{UUID}", b"1780000000000")
    bad = desktop_file(tmp_path, f"{CODE_ROWS}/{ACCOUNT}/{ORGANIZATION}/deleted_{OTHER}", b"\xff")

    assert "2026-05-28T20:26:40.000Z" == rows.read_tombstone(str(good), UUID)["deleted"]
    assert (None, [OTHER]) == (
        rows.read_tombstone(str(bad), OTHER)["deleted"],
        rows.read_tombstone(str(bad), OTHER)["lineage"],
    )


@pytest.mark.parametrize(
    "path, owners",
    [
        (f"/h/{DESKTOPS[0]}/{CODE_ROWS}/A/O/local_x.json", ("A", "O")),
        (f"C:\\Users\\a\\AppData\\Roaming\\Claude\\{COWORK_ROWS}\\A\\O\\agent\\local_x.json", ("A", "O")),
        (f"/h/{CODE_ROWS}/local_x.json", (None, None)),
        ("/elsewhere/local_x.json", (None, None)),
    ],
)
def test_owners_stand_in_the_path(path: str, owners: tuple[str | None, str | None]) -> None:
    """Account and organization are the two directories below that of the rows, on every system."""
    assert owners == rows.owners_of(path)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
NAMES = st.sampled_from(
    ["sessionId", "cliSessionId", "createdAt", "title", "cwd", "userSelectedFolders", "sshConfig", "x"]
)


@pytest.mark.slow
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(fields=st.dictionaries(NAMES, JSON, max_size=6), cut=st.integers(0, 400), flip=st.binary(max_size=3))
def test_no_row_is_too_odd(tmp_path: Path, fields: dict[str, Any], cut: int, flip: bytes) -> None:
    """Any value in any field, and any cut, gives a row that JSON can carry."""
    data = json.dumps(fields).encode()
    path = tmp_path / "local_x.json"
    path.write_bytes(data[:cut] + flip)
    found = read(path)

    assert isinstance(found["id"], str)
    assert found == json.loads(json.dumps(found).encode())
