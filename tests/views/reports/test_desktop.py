"""Accounts, manifests, servers and logs as people see them."""

import json
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from make import APP, UUID, desktop_file, inside, line, listed, manifest, row, write_demo_home

import backscroll
from backscroll.demo.rows import NOON
from backscroll.records import Damage
from backscroll.sessions.desktop_model import Account, Accounts, LogLine
from backscroll.views import markdown
from backscroll.views.html import session as html
from backscroll.views.json import desktop as desktop_json
from backscroll.views.reports import desktop
from backscroll.views.terminal import session as text
from backscroll.views.terminal.paper import Line, Paper, plain

PIPE = Paper(zone=UTC)
SCREEN = Paper(width=80, now=NOON, zone=UTC)


def lines(found: Iterable[Line]) -> list[str]:
    """Return lines without their styles."""
    return [plain(one) for one in found]


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a demo home."""
    return write_demo_home(tmp_path_factory.mktemp("demo"))


def test_accounts_as_a_table(demo: Path) -> None:
    """Each account has a line; that the two programs differ is said, with where it stands."""
    found = lines(desktop.account_list(backscroll.accounts(demo), PIPE))

    assert ["account", "e-mail", "name"] == found[0].split()[:3]
    assert "ann@example.com" in found[1]
    assert "The command line and Desktop are not signed in with the same account:" in found
    assert any(one.strip() == "tokens  48210" for one in found)


def test_no_accounts() -> None:
    """Nothing is said of accounts where there are none."""
    assert ["No accounts found."] == lines(desktop.account_list(Accounts([], [], []), PIPE))
    one = Accounts([Account("a")], [], [])
    assert 2 == len(lines(desktop.account_list(one, PIPE)))


def test_cowork_as_a_table(demo: Path) -> None:
    """Each manifest has a line, with its files, schedule and error; what is scheduled follows."""
    found = lines(desktop.cowork_list(backscroll.cowork(None, demo), backscroll.schedules(demo), PIPE))

    assert 7 == len(found)
    assert found[5].startswith("scheduled  ")
    assert "Tide report for the council" in found[1]
    assert "weekly-letter" in found[2]
    assert found[3].endswith("RPC error -1: failed to ensure virtiofs mount")
    assert ["No Cowork sessions found."] == lines(desktop.cowork_list([], [], PIPE))


def test_a_manifest_in_groups(demo: Path) -> None:
    """Groups have headings, fields stand below them, and what it made, was allowed and cost comes last."""
    (one,) = backscroll.cowork("6b1e7c44", demo)
    found = lines(desktop.manifest(one, PIPE))
    headings = [name for name in found if name and not name.startswith(" ")]

    groups = ["identity", "folders", "browser", "answers", "files", "approvals", "egress", "mcp"]
    assert ["Tide report for the council", *groups, "outputs  1 file", "uploads  1 file"] == headings[:11]
    assert headings[11:] == ["permissions decided", "runs  as Cowork states them; not added to usage"]
    assert "  chromeAllowedDomains  harbour.example" in found


def test_a_manifest_fits_the_screen(tmp_path: Path) -> None:
    """No line is wider than the screen, whatever stands in the manifest; with --full nothing is cut."""
    path = manifest(
        tmp_path, initialMessage="long " * 900, mcqAnswers={"a" * 90: "b" * 90}, slashCommands=["x" * 30] * 5
    )
    for number in range(50):
        inside(path, f"outputs/{'deep/' * 9}{number}.txt", b"x")
    (one,) = backscroll.cowork(None, tmp_path)
    found = lines(desktop.manifest(one, SCREEN))

    assert all(len(text) <= 80 for text in found)
    assert 40 == sum(text.rstrip().endswith("ago") or ".txt" in text for text in found)
    full = lines(desktop.manifest(one, Paper(width=80, now=NOON, zone=UTC, is_full=True)))
    assert 50 == sum(".txt" in text for text in full)
    assert sum(text.count("long") for text in full) == 900


def test_damage_of_a_manifest_is_shown(tmp_path: Path) -> None:
    """What could not be read of manifest and audit stands at the end."""
    path = manifest(tmp_path)
    path.write_bytes(path.read_bytes()[:-5])
    inside(path, "audit.jsonl", b"{torn\n" + line({"type": "result"}))
    (one,) = backscroll.cowork(APP, tmp_path)
    found = lines(desktop.manifest(one, PIPE))

    assert 2 == len(found) - found.index("damage") - 1


def test_servers_and_logs_as_lists(demo: Path) -> None:
    """Servers are named with their variables, logs with their paths."""
    servers = lines(desktop.server_list(backscroll.mcp_servers(demo), PIPE))
    assert ["harbour", "harbour-mcp", "HARBOUR_TOKEN"] == servers[2].split()[:3]
    assert ["Desktop declares no MCP servers."] == lines(desktop.server_list([], PIPE))
    assert [str(demo / ".config/Claude/logs/main.log")] == lines(
        desktop.log_file_list(backscroll.log_files(demo), PIPE)
    )
    assert ["No logs of Desktop found."] == lines(desktop.log_file_list([], PIPE))


def test_errors_near_a_session(demo: Path) -> None:
    """A line that names the session has a star; without errors that is said; endless ones are cut on a screen."""
    session, found = backscroll.logs("e08b4d71", demo)
    shown = lines(desktop.log_list(session, found, PIPE))

    assert ["*", " "] == [one[0] for one in shown[1::2]]
    assert "  No errors near its time." == lines(desktop.log_list(session, [], PIPE))[1]
    many = [LogLine("/l", 1, None, "error", "x", names_session=False)] * 300
    assert "  … more; --full or --json has them all" == lines(desktop.log_list(session, many, SCREEN))[-1]
    damage = [Damage(backscroll.Place("/l"), "gone")]
    assert "  /l: gone" == lines(desktop.log_list(session, damage, PIPE))[1]


def test_logs_as_json(demo: Path) -> None:
    """Damage of logs stands apart from their lines."""
    session, found = backscroll.logs("e08b4d71", demo)
    answer = json.loads("".join(desktop_json.logs_document(session, [*found, Damage(backscroll.Place("/l"), "gone")])))

    assert (2, ["gone"]) == (len(answer["logs"]), [one["reason"] for one in answer["damage"]])


@pytest.mark.parametrize(
    "fields, told",
    [
        ({"sshConfig": {"host": "box"}}, "  held      on the SSH host box"),
        ({"wslConfig": {"distro": "Ubuntu"}}, "  held      inside WSL, in the home directory of Ubuntu"),
        ({}, "  held      nowhere on this disk: the transcript is gone"),
        ({"error": "boom"}, "  error     boom"),
    ],
)
def test_a_session_without_transcript_says_where_it_is(tmp_path: Path, fields: dict[str, object], told: str) -> None:
    """Show says who holds what is not here."""
    row(tmp_path, cliSessionId=UUID, **fields)  # type: ignore[arg-type]
    found = lines(text.header(listed(tmp_path)[UUID], PIPE))

    assert told in found
    assert f"  row       local_{APP}, Code tab, account aaaaaaaa" in found


def test_a_session_read_from_its_audit_says_so(demo: Path) -> None:
    """Who reads an audit instead of a transcript is told."""
    found = lines(text.show(backscroll.show("a3d95f10", demo), PIPE))

    assert "  held      in Cowork's audit; the transcript itself is gone" in found


@pytest.mark.parametrize("form", ["md", "html"])
def test_documents_say_it_too(form: str, demo: Path) -> None:
    """Markdown and HTML name the state of a session and who holds it."""
    view = markdown if form == "md" else html
    document = "".join(view.document(backscroll.show("55d6e7f8", demo), PIPE))

    assert "on the SSH host ann@gauges.example" in document
    assert "remote" in document


def test_a_deleted_session_says_so(demo: Path) -> None:
    """A tombstone is shown as what it is."""
    found = lines(text.show(backscroll.show("0a9b8c7d", demo), PIPE))

    assert any("tombstone" in one and "deleted in Desktop" in one for one in found)


def test_old_things_have_dates() -> None:
    """A session of long ago is listed with its day."""
    account = Account("a", updated=NOON - timedelta(days=400))
    assert "2025" in lines(desktop.account_list(Accounts([account], [], []), SCREEN))[1]
    assert datetime(2026, 1, 1, tzinfo=UTC) < NOON


def test_desktop_files_need_not_be_there(tmp_path: Path) -> None:
    """A home with nothing but settings has no sessions and no faults."""
    desktop_file(tmp_path, "config.json", b"\0")

    assert ([], []) == (backscroll.accounts(tmp_path).accounts, backscroll.cowork(None, tmp_path))
