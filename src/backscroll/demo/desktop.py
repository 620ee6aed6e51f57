"""Ann's Claude Desktop in the demo home: rows of the Code tab, three sessions of Cowork, settings and a log.

She has two accounts; the command line is signed in with her own, Desktop with that of the harbour office.
"""

import json
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from backscroll.demo.draft import Draft
from backscroll.demo.rows import line_of
from backscroll.demo.storage import local_storage
from backscroll.demo.stories import DARK, HANDBOOK, RIPPLE, SHOP, TIDES
from backscroll.demo.tools import bash, write
from backscroll.times import iso

DATA = ".config/Claude"
ANN, OFFICE = "0b7c1d2e-3f40-4a51-8b62-9c73ad84be95", "7e6d5c4b-3a29-4f18-8e07-d6c5b4a39281"
HARBOUR = "5f4e3d2c-1b0a-4998-8776-655443322110"
PERSONAL = "c0ffee00-1234-4abc-9def-0123456789ab"
PAY_APP = "11f2a3b4-0001-4c5d-8e6f-708192a3b4c5"
REPORT = "4c1f0a2b-6d3e-4f58-9a7b-8c9d0e1f2a30"
REPORT_APP = "6b1e7c44-2d0f-4a8e-b3c5-91f2d4e6a801"
LETTER_APP = "a3d95f10-7c62-4b1e-9e48-5f0c7d2b8902"
FAILED_APP = "e08b4d71-19a3-4c5f-8d26-3b7a6c5d4e03"

_SESSION = f"/sessions/brisk-sunny-heron/mnt/{TIDES.rsplit('/', 1)[-1]}"
_WORDS = "# Tides in April\n\nThe mean level rose by 3 mm. One storm, on the 12th.\n"


def desktop_files(now: datetime) -> Iterator[tuple[str, bytes]]:
    """Yield every file of Desktop and Cowork below the home, by name."""
    for name, value in _settings(now).items():
        yield f"{DATA}/{name}", json.dumps(value, indent=2).encode() + b"\n"
    for name, value in _rows(now):
        yield f"{DATA}/claude-code-sessions/{name}", json.dumps(value, separators=(",", ":")).encode()
    # A session that was deleted in Desktop: its row is gone, a tombstone is there, and so is its transcript.
    deleted = str(_ms(now - timedelta(days=2))).encode()
    yield f"{DATA}/claude-code-sessions/{ANN}/{PERSONAL}/deleted_0a9b8c7d-1e2f-4a3b-8c4d-5e6f7a8b9c07", deleted
    for name, data in _cowork(now).items():
        yield f"{DATA}/local-agent-mode-sessions/{OFFICE}/{HARBOUR}/{name}", data
    yield f"{DATA}/logs/main.log", _log(now)
    for name, data in local_storage(_pages(), now).items():
        yield f"{DATA}/{name}", data


def report_draft(now: datetime) -> Draft:
    """Return the transcript of the Cowork session whose transcript is left."""
    draft = Draft(REPORT, _SESSION, "2.1.300", now - timedelta(hours=30))
    draft.prompt("Write a one-page report on the tides in April for the council. The readings are in the folder.")
    draft.answer(
        "I'll look at the readings first.",
        calls=[bash("ls", "gauges.csv"), bash("tail -1 gauges.csv", "2026-04-30T23:50,418")],
    )
    draft.answer(calls=[write("/sessions/brisk-sunny-heron/mnt/outputs/report.md", _WORDS)])
    draft.answer("The report is in `report.md`: the mean level rose by 3 mm, and there was one storm.")
    return draft


def _settings(now: datetime) -> dict[str, Any]:
    servers = {
        "filesystem": {"command": "npx", "args": ["-y", "server-filesystem"], "env": {}},
        "harbour": {"command": "harbour-mcp", "args": [], "env": {"HARBOUR_TOKEN": "made-up"}},
    }
    shops = {"groups": [{"id": "cg-1", "name": "Shop"}], "assignments": {f"code:local_{PAY_APP}": "cg-1"}}
    groups = {"dframe-group-scopes": {f"{ANN}/{PERSONAL}": shops}}
    return {
        "config.json": {"lastKnownAccountUuid": OFFICE, "theme": "dark", "oauth:tokenCache": "made-up"},
        "claude_desktop_config.json": {"mcpServers": servers, "preferences": {"epitaxyPrefs": groups}},
        "git-worktrees.json": _worktrees(now),
        "buddy-tokens.json": {"tokens-today": {"date": iso(now)[:10], "tokens": 48210}},
        "plan-usage-history.json": {
            "version": 2,
            "samples": [
                {"t": _ms(now - timedelta(minutes=15)), "org": HARBOUR, "u": {"fh": 18, "sd": 41}},
                {"t": _ms(now), "org": HARBOUR, "u": {"fh": 22, "sd": 42}},
            ],
        },
    }


def _pages() -> dict[str, str]:
    """Return the browser data of Desktop's pages."""
    sidebar = {"state": {"pinnedOrder": [f"code:local_{PAY_APP}"], "sidebarWidth": 280}, "version": 1}
    return {"dframe-store": json.dumps(sidebar), "default-model": "claude-opus-4-8", "theme": "dark"}


def _worktrees(now: datetime) -> dict[str, Any]:
    """Return the registry of the worktrees that Desktop made."""
    made = {"baseRepo": SHOP, "createdAt": _ms(now - timedelta(days=9)), "sourceBranch": "main"}
    dark = {"path": DARK, "branch": "worktree-dark-mode", "leasedBy": f"local_{PAY_APP}", **made}
    free = {"path": f"{SHOP}/.claude/worktrees/spring-sale", "branch": "worktree-spring-sale", **made}
    return {"schemaVersion": 2, "worktrees": {"dark-mode": dark, "spring-sale": free}}


def _rows(now: datetime) -> Iterator[tuple[str, dict[str, Any]]]:
    shop = "5d1a7b92-33c8-4e90-a6f4-2b8c7d9e0a04"
    ripple = "71c5d0e8-6f2b-4a97-b1d4-8e9f0a1b2c06"
    orphans = "a0b1c2d3-e4f5-4a6b-9c7d-8e9f0a1b2c11"
    gauges = "66e7f809-0006-41a2-93b4-c5d6e7f8091a"
    ann, office = f"{ANN}/{PERSONAL}", f"{OFFICE}/{HARBOUR}"
    pay = _row(PAY_APP, now, 0.1, "Pay button covers the total")
    speed = _row("22a3b4c5-0002-4d6e-9f70-8192a3b4c5d6", now, 3.1, "Why ripple is slower than find")
    pages = _row(orphans, now, 409, "Orphan pages of the handbook")
    banner = _row("33b4c5d6-0003-4e7f-8081-92a3b4c5d6e7", now, 41, "Spring sale banner")
    importer = _row("55d6e7f8-0005-4091-82a3-b4c5d6e7f809", now, 6, "Restart the gauge importer")
    path = f"/home/ann/.claude/projects/-srv-gauges/{gauges}.jsonl"
    for owner, row, cwd, fields in (
        (ann, pay, SHOP, {"cliSessionId": shop}),
        (ann, speed, RIPPLE, {"cliSessionId": ripple}),
        (office, speed, RIPPLE, {"cliSessionId": ripple}),
        (ann, pages, HANDBOOK, {"cliSessionId": orphans, "isArchived": True}),
        (ann, banner, SHOP, {"cliSessionId": "44c5d6e7-0004-4f80-9192-a3b4c5d6e7f8", "titleSource": "user"}),
        (
            office,
            importer,
            "/srv/gauges",
            {
                "cliSessionId": gauges,
                "sshConfig": {"host": "gauges.example", "user": "ann"},
                "sshRemoteTranscriptPath": path,
            },
        ),
    ):
        yield f"{owner}/{row['sessionId']}.json", row | {"cwd": cwd, "originCwd": cwd} | fields


def _row(app: str, now: datetime, age: float, title: str) -> dict[str, Any]:
    active = now - timedelta(days=age)
    return {
        "sessionId": f"local_{app}",
        "createdAt": _ms(active - timedelta(minutes=40)),
        "lastActivityAt": _ms(active),
        "model": "claude-opus-4-8[1m]",
        "isArchived": False,
        "title": title,
        "titleSource": "auto",
        "permissionMode": "acceptEdits",
        "completedTurns": 2,
    }


def _cowork(now: datetime) -> dict[str, bytes]:
    report = _manifest(
        REPORT_APP,
        now - timedelta(hours=29),
        "Tide report for the council",
        cliSessionId=REPORT,
        processName="brisk-sunny-heron",
        vmProcessName="brisk-sunny-heron",
        cwd=_SESSION,
        userSelectedFolders=[TIDES],
        egressAllowedDomains=["data.harbour.example"],
        chromePermissionMode="follow_a_plan",
        chromeAllowedDomains=["harbour.example"],
        mcqAnswers={"toolu_01length": {"question": "How long may it be?", "answer": "One page"}},
        fsDetectedFiles=[{"hostPath": f"{TIDES}/gauges.csv", "fileName": "gauges.csv", "timestamp": _ms(now)}],
        userApprovedFileAccessPaths=["/sessions/brisk-sunny-heron/mnt/harbour-tides"],
        enabledMcpTools={"c1d2:search": True},
        remoteMcpServersConfig=[{"uuid": "c1d2", "name": "Harbour", "tools": [{"name": "search"}]}],
    )
    letter = _manifest(
        LETTER_APP,
        now - timedelta(days=9),
        "Weekly letter to the skippers",
        cliSessionId="90817263-5445-4362-9718-0a1b2c3d4e5f",
        hostLoopMode=True,
        cwd="outputs",
        userSelectedFolders=[HANDBOOK],
        scheduledTaskId="weekly-letter",
    )
    failed = _manifest(
        FAILED_APP,
        now - timedelta(days=20),
        "Sort the photographs",
        processName="quiet-lucid-noether",
        vmProcessName="quiet-lucid-noether",
        cwd="/sessions/quiet-lucid-noether",
        userSelectedFolders=["/home/ann/photographs"],
        error="RPC error -1: failed to ensure virtiofs mount",
    )
    task = {"id": "weekly-letter", "cron": "0 8 * * 1", "prompt": "Write this week's letter to the skippers."}
    return {
        "remote-session-spaces.json": json.dumps(
            {"entries": [{"sessionId": "session_01HarbourPlan", "folders": ["/home/ann/docs/harbour-plan"]}]}
        ).encode(),
        "scheduled-tasks.json": json.dumps({"tasks": [task]}, indent=2).encode(),
        f"local_{REPORT_APP}.json": report,
        f"local_{REPORT_APP}/outputs/report.md": _WORDS.encode(),
        f"local_{REPORT_APP}/uploads/gauges.csv": b"time,level_cm\n2026-04-30T23:50,418\n",
        f"local_{REPORT_APP}/audit.jsonl": _audit_of_report(now),
        f"local_{LETTER_APP}.json": letter,
        f"local_{LETTER_APP}/audit.jsonl": _audit_of_letter(now),
        f"local_{FAILED_APP}.json": failed,
    }


def _manifest(app: str, active: datetime, title: str, **fields: Any) -> bytes:
    given = {
        "sessionId": f"local_{app}",
        "createdAt": _ms(active - timedelta(minutes=20)),
        "lastActivityAt": _ms(active),
        "model": "claude-sonnet-4-6",
        "isArchived": False,
        "title": title,
        "initialMessage": title,
        "systemPrompt": "Claude is powering Cowork mode. " * 40,
        "accountName": "Ann (harbour office)",
        "emailAddress": "ann@harbour.example",
    }
    return json.dumps(given | fields, indent=2).encode()


def _audit_of_report(now: datetime) -> bytes:
    time = now - timedelta(hours=29, minutes=50)
    lines: list[dict[str, Any]] = [
        {"type": "system", "subtype": "permission_request", "uuid": "q1", "tool_name": "Write"},
        {
            "type": "system",
            "subtype": "permission_response",
            "uuid": "q1",
            "tool_name": "Write",
            "decision": "allow_once",
        },
        {"type": "system", "subtype": "permission_auto_approved", "tool_name": "Bash", "source": "session_rule_cache"},
        {"type": "result", "subtype": "success", "total_cost_usd": 0.21, "num_turns": 3, "duration_ms": 41000},
    ]
    return _audit(lines, time)


def _audit_of_letter(now: datetime) -> bytes:
    asked = {"role": "user", "content": "Write this week's letter to the skippers."}
    parts = [{"type": "text", "text": "The letter is written: two dredging days, and the new opening hours."}]
    usage = {"input_tokens": 1200, "output_tokens": 160}
    said = {"id": "msg_01weeklyletter0000001", "role": "assistant", "model": "claude-sonnet-4-6", "content": parts}
    lines: list[dict[str, Any]] = [
        {"type": "system", "subtype": "init", "cwd": "/home/ann/docs", "tools": ["Read", "Write"]},
        {"type": "user", "message": asked, "uuid": "5e6f7081-0007-42b3-84c5-d6e7f8091a2b"},
        {"type": "user", "message": asked, "uuid": "5e6f7081-0007-42b3-84c5-d6e7f8091a2b"},
        {
            "type": "assistant",
            "message": {**said, "usage": usage},
            "parent_tool_use_id": None,
            "uuid": "6f708192-0008-43c4-95d6-e7f8091a2b3c",
        },
        {"type": "result", "subtype": "success", "total_cost_usd": 0.006, "num_turns": 1, "duration_ms": 9000},
    ]
    return _audit(lines, now - timedelta(days=9))


def _audit(lines: list[dict[str, Any]], time: datetime) -> bytes:
    moments = (time + timedelta(seconds=4 * number) for number in range(len(lines)))
    return b"".join(
        line_of({**record, "_audit_timestamp": iso(moment)}) for record, moment in zip(lines, moments, strict=True)
    )


def _log(now: datetime) -> bytes:
    time = now - timedelta(days=20, minutes=10)
    lines = [
        "[info] Starting virtual machine",
        f"[error] local_{FAILED_APP}: RPC error -1: failed to ensure virtiofs mount",
        "[warn] Session ended before it began",
    ]
    return "".join(f"{iso(time + timedelta(seconds=n))} {line}\n" for n, line in enumerate(lines)).encode()


def _ms(moment: datetime) -> int:
    return int(moment.timestamp() * 1000)
