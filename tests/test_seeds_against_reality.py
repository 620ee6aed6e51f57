"""What public notes say of rows, manifests, accounts and logs, against what is so: formats.md, section 9, by number."""

import json
from pathlib import Path
from typing import Any

import pytest
from make import (
    ACCOUNT,
    APP,
    CODE_ROWS,
    COWORK_ROWS,
    DESKTOPS,
    ORGANIZATION,
    UUID,
    Draft,
    desktop_file,
    home,
    indexed,
    inside,
    line,
    listed,
    manifest,
    row,
    write_side,
    write_transcript,
)

import backscroll
from backscroll.index.queries import sessions as query
from backscroll.sessions.session import Session
from backscroll.stores.desktop_files import rows

OTHER = "22222222-2222-4222-8222-222222222222"


def only(root: Path) -> Session:
    """Return the one session that there is."""
    (session,) = listed(root).values()
    return session


def test_08_desktop_does_not_own_the_projects_directory(tmp_path: Path) -> None:
    """Terminal, SDK and Code tab share ~/.claude/projects, Cowork does not: entrypoint and rows tell them apart."""
    Draft(UUID, "/r").prompt("At the terminal").write(home(tmp_path))
    desktop = Draft(OTHER, "/r").prompt("In the Code tab").text().replace(b'"cli"', b'"claude-desktop"')
    write_transcript(tmp_path, "-r", OTHER, desktop)
    row(tmp_path, cliSessionId=OTHER)
    found = {name: (one.entrypoint, one.stores) for name, one in listed(tmp_path).items()}

    assert {UUID: ("cli", ["code"]), OTHER: ("claude-desktop", ["code", "desktop"])} == found


def test_09_transcripts_of_the_code_tab_are_claude_codes(tmp_path: Path) -> None:
    """A row of the Code tab is joined with a transcript in ~/.claude/projects, one of Cowork with its private one."""
    Draft(UUID, "/r").prompt("Code").write(home(tmp_path))
    row(tmp_path, cliSessionId=UUID)
    path = manifest(tmp_path, OTHER, cliSessionId=OTHER)
    Draft(OTHER, "/sessions/x").prompt("Cowork").write(path.with_suffix(""))

    assert {UUID: 1, OTHER: 1} == {name: len(one.transcripts) for name, one in listed(tmp_path).items()}


def test_10_sessions_directories_are_of_the_local_virtual_machine(tmp_path: Path) -> None:
    """A cwd below /sessions/ is no cloud: the transcript is looked for here, and found."""
    path = manifest(tmp_path, cliSessionId=UUID, cwd="/sessions/calm-river/mnt")
    Draft(UUID, "/sessions/calm-river/mnt").prompt("Hi").write(path.with_suffix(""))

    assert ("live", "vm") == (only(tmp_path).state, only(tmp_path).rows[0]["kind"])


def test_11_ssh_transcripts_are_on_their_host(tmp_path: Path) -> None:
    """An SSH session says on which host it is; its local mirror is read where there is one."""
    row(tmp_path, cliSessionId=UUID, sshConfig={"host": "box"}, sshRemoteTranscriptPath="/home/a/x.jsonl")

    assert ("remote", "on the SSH host box: /home/a/x.jsonl") == (only(tmp_path).state, only(tmp_path).rows[0]["held"])
    write_transcript(home(tmp_path), f"ssh-{UUID}", UUID, Draft(UUID).prompt("Hi").text())
    assert ("remote", 1) == (only(tmp_path).state, only(tmp_path).messages)


def test_12_the_second_directory_is_the_organization(tmp_path: Path) -> None:
    """Rows lie below <account>/<organization>, not below a workspace of Desktop's own."""
    row(tmp_path)
    (found,) = backscroll.accounts(tmp_path).accounts

    assert (ACCOUNT, [ORGANIZATION]) == (found.id, [workspace.id for workspace in found.workspaces])


def test_14_ids_of_desktop_and_of_claude_code_do_overlap(tmp_path: Path) -> None:
    """An imported session is called local_<its own id>: with and without the prefix it is one session."""
    Draft(UUID, "/r").prompt("Hi").write(home(tmp_path))
    row(tmp_path, UUID)
    database = indexed(tmp_path)

    assert UUID == only(tmp_path).id == query.resolve(database, UUID) == query.resolve(database, f"local_{UUID}")


def test_15_the_bridge_rotates(tmp_path: Path) -> None:
    """The present id is not the only bridge: what earlier ids lead to is part of the session."""
    Draft(OTHER, "/r").prompt("Before").write(home(tmp_path))
    Draft(UUID, "/r").prompt("After").write(tmp_path)
    row(tmp_path, cliSessionId=UUID, priorCliSessionIds=[OTHER])

    assert (UUID, 2) == (only(tmp_path).id, only(tmp_path).prompts)


@pytest.mark.parametrize("name", [".claude.json", ".claude/.claude.json"])
def test_16_the_global_settings_lie_beside_or_inside(tmp_path: Path, name: str) -> None:
    """Who is signed in is found in ~/.claude.json, and in ~/.claude/.claude.json where the variable was set."""
    write_side(home(tmp_path), f"../{name}", json.dumps({"oauthAccount": {"accountUuid": ACCOUNT}}).encode())

    assert [("cli", ACCOUNT)] == [(one.program, one.account) for one in backscroll.accounts(tmp_path).signed_in]


def test_17_agents_lie_below_their_session(tmp_path: Path) -> None:
    """In Cowork too, agents lie in <id>/subagents/, not in the project directory itself."""
    path = manifest(tmp_path, cliSessionId=UUID)
    draft = Draft(UUID, "/sessions/x").prompt("Hi")
    draft.join(draft.agent("Job", "Do"), "Done").write(path.with_suffix(""))

    assert 1 == only(tmp_path).agents
    assert 1 == len(list(path.with_suffix("").rglob(f"{UUID}/subagents/agent-*.jsonl")))


def test_18_the_audit_is_a_second_transcript(tmp_path: Path) -> None:
    """audit.jsonl holds the whole conversation, permissions and costs, and is never counted beside the transcript."""
    path = manifest(tmp_path, cliSessionId=UUID)
    records: list[dict[str, Any]] = [
        {"type": "user", "uuid": "u" * 20, "message": {"role": "user", "content": "Hi"}},
        {"type": "permission_response", "tool_name": "Bash", "decision": "deny"},
        {"type": "result", "subtype": "success", "total_cost_usd": 0.25},
    ]
    inside(path, "audit.jsonl", b"".join(map(line, records)))
    (found,) = backscroll.cowork(UUID, tmp_path)

    assert found.trail is not None
    assert (1, "deny", 0.25) == (only(tmp_path).messages, found.trail.permissions[0].decision, found.trail.runs[0].cost)
    Draft(UUID, "/sessions/x").prompt("Hi").answer("Yes.").write(path.with_suffix(""))
    assert 2 == only(tmp_path).messages


@pytest.mark.parametrize("mode", ["default", "dontAsk", "somethingNew"])
@pytest.mark.parametrize("source", ["auto", "user", "custom", "tool", "new"])
def test_19_values_are_open_sets(tmp_path: Path, mode: str, source: str) -> None:
    """Modes and sources that no note names are kept, and completedTurns counts no messages."""
    row(tmp_path, cliSessionId=UUID, permissionMode=mode, titleSource=source, completedTurns=17)
    (found,) = only(tmp_path).rows

    assert (mode, source, 0) == (found["permission_mode"], found["title_source"], only(tmp_path).messages)


def test_23_two_products_share_two_directories(tmp_path: Path) -> None:
    """local-agent-mode-sessions was not renamed: both directories may hold rows of both products."""
    row(tmp_path, "aaaa", at=f"{DESKTOPS[0]}/{COWORK_ROWS}")
    fields = {"sessionId": "local_bbbb", "processName": "calm-river"}
    desktop_file(tmp_path, f"{CODE_ROWS}/{ACCOUNT}/{ORGANIZATION}/local_bbbb.json", fields)

    assert {"aaaa": ["desktop"], "bbbb": ["cowork"]} == {name: one.stores for name, one in listed(tmp_path).items()}


def test_24_the_conversation_is_on_disk(tmp_path: Path) -> None:
    """What was said in Cowork is in the session's own .claude/projects, though its manifest holds no message."""
    path = manifest(tmp_path, cliSessionId=UUID)
    Draft(UUID, "/sessions/x").prompt("Hi").answer("Hello.").write(path.with_suffix(""), key="-sessions-calm-river")

    told = [message.parts[0].text for message in backscroll.show(APP, tmp_path).messages]
    assert ["Hi", "Hello."] == told


def test_25_no_field_is_required(tmp_path: Path) -> None:
    """A manifest without the 15 fields that a public schema requires is a session all the same."""
    desktop_file(
        tmp_path,
        f"{COWORK_ROWS}/{ACCOUNT}/{ORGANIZATION}/local_{APP}.json",
        {"sessionId": f"local_{APP}", "hostLoopMode": True},
    )

    assert (APP, "host", None) == (only(tmp_path).id, only(tmp_path).rows[0]["kind"], only(tmp_path).title)


@pytest.mark.parametrize("name", ["local_ditto_abc", "local_ditto_abc_g3", "local_UPPER"])
def test_26_ids_need_be_no_uuids(tmp_path: Path, name: str) -> None:
    """Desktop's ids begin with local_; what follows is not always hexadecimal."""
    path = desktop_file(tmp_path, f"{COWORK_ROWS}/a/o/{name}.json", {"sessionId": name, "processName": "p"})

    assert (name, None) == (rows.read_row(str(path))[0]["id"], rows.read_row(str(path))[0]["damage"])
