"""Goal 12: 300 sequences that command, hide or fake, in every field, through every command, at a real terminal.

What arrives there are line feeds, tabs, printable characters and our own colours, and nothing else.
"""

import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from pathlib import Path
from typing import Any

import pytest
from make import (
    ACCOUNT,
    ORGANIZATION,
    Draft,
    Tool,
    bash,
    desktop_file,
    edit,
    failed,
    home,
    inside,
    line,
    manifest,
    row,
    write,
    write_desktop,
    write_transcript,
)

from backscroll.cli.main import COMMANDS

pytestmark = pytest.mark.slow

ESC, BEL, ST = "\x1b", "\x07", "\x1b\\"

SEQUENCES = [
    *(f"{ESC}[{count}{final}" for final in "@ABCDEFGHIJKLMPSTXZ`abcdefghilmnpqrstu" for count in ("", "9", "2;3")),
    *(
        f"{ESC}[?{mode}{final}"
        for mode in (1, 5, 7, 25, 47, 1000, 1002, 1006, 1047, 1049, 2004, 2026)
        for final in "hl"
    ),
    *(f"{ESC}[{rest}" for rest in (">c", "=c", "!p", " q", "5 q", ">4;2m", "?6n", "14t", "21t", "8;1;1t", "0 q", "?u")),
    *(f"{ESC}[{colour}m" for colour in ("", "0", "1", "8", "30;40", "31", "38;5;1", "38;2;0;0;0", "58;5;1", "4:3")),
    *(
        f"{ESC}]{command}{end}"
        for command in ("0;PWNED", "2;x", "8;;http://evil/", "52;c;ZXZpbA==", "52;c;?", "9;7;calc", "9;4;1;50")
        for end in (BEL, ST, "\x9c", "")
    ),
    *(
        f"{ESC}]{command}{BEL}"
        for command in ("1;x", "4;1;?", "7;file:///etc", "9;x", "10;?", "11;?", "12;red", "50;x", "104", "112", "133;A")
    ),
    *(f"{ESC}]{command}{BEL}" for command in ("633;E;id", "777;notify;a;b", "1337;File=inline=1:AAAA", "99;i=1;x")),
    *(f"{ESC}{opener}evil{end}" for opener in "PX^_" for end in (ST, "\x9c", "")),
    *(f"{opener}evil\x9c" for opener in "\x90\x98\x9e\x9f"),
    *(f"\x9b{rest}" for rest in ("2J", "31m", "?1049h", "6n", "H")),
    *(f"\x9d{rest}\x9c" for rest in ("0;PWNED", "8;;http://evil/", "52;c;ZXZpbA==")),
    *(
        f"{ESC}{rest}"
        for rest in ("c", "7", "8", "=", ">", "D", "E", "H", "M", "N", "O", "Z", "#8", "%G", "(0", ")0", "l")
    ),
    *(chr(code) for code in [*range(0x09), *range(0x0B, 0x20), 0x7F]),
    *(chr(code) for code in range(0x80, 0xA0)),
    *(f"{letter}x" for letter in "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"),
    *"\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180e\u200b\u2028\u2029\u2060\u2061\u2062\u2063\u2064\u3164\ufeff\uffa0\ufff9\ufffb",
    *("\u200c", "\u200d", "a\u200db", "a\ufe0f", "\ufe00", "\U000e0100", "a\u200c\u200c\u200cb"),
    *("\U000e0001", "\U000e0020", "\U000e0041\U000e0042", "\U000e007f", "🏴\U000e0067\U000e0062\U000e007f"),
    *("\ud800", "\udfff", "\udc9b", "\udc1b[2J", "\ud83d"),
    *(
        "ok\rEVIL",
        "ok\r\n\x1b[1AEVIL",
        "a\b\b\bEVIL",
        f"{ESC}{ESC}[2J",
        f"{ESC}[",
        f"{ESC}]",
        ESC,
        f"x{ESC}",
        "\x0e\x0f",
    ),
    *("[/foo]", "[bold red]x", "[link=file:///etc/passwd]x[/link]", "\\x1b[2J", "%s%n", "{0}", "\\[bold]", "\\e[2J"),
]

PROGRESS = re.compile(r"\r\x1b\[2K(?:[^\r\n\x1b]*\r\x1b\[2K)*")
"""Our own progress line, which a busy machine may show for a moment, and which erases itself."""
OURS = re.compile(r"\x1b\[[0-9;]*m")
FOREIGN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028\u2029\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff"
    "\U000e0000-\U000e007f\ud800-\udfff]"
)
AT_ONCE = 5
"""Sequences that share a session."""

LONG_AGO = 1_700_000_000
"""The time of every file of the hostile home."""
RUN_ALL = """
import json, sys
from datetime import datetime
from backscroll.cli import terminal
from backscroll.cli.main import run

class StoppedClock(datetime):
    @classmethod
    def now(cls, tz=None):
        return cls.fromtimestamp(2_000_000_000, tz)

terminal.datetime = StoppedClock
for line in json.load(open(sys.argv[1])):
    run(line)
"""
"""Runs every command at one moment: what is shown relative to now must not change from one run to the next."""


def hostile_session(number: int, bad: str) -> Draft:
    """Return a session that says something hostile in every place it can."""
    name = f"{number:08x}-0000-4000-8000-000000000000"
    draft = Draft(name, f"/home/{bad}/x", branch=bad)
    draft.model = bad
    draft.title(bad, by="custom").prompt(bad).command("x", bad, bad).meta(bad).shell(bad, bad)
    draft.answer(f"# {bad}\n- {bad}\n\n```{bad}\n{bad}\n```\n> {bad}\n\n|a|\n|-|\n|{bad}|\n[{bad}](http://{bad})")
    draft.answer(bad, thinking=bad, calls=[bash(bad, bad), failed(bad, 1, bad), Tool(bad, {bad: bad}, bad, {bad: bad})])
    draft.answer(calls=[write(f"/{bad}.py", bad), edit(f"/{bad}", f"a{bad}", bad, f"b{bad}")])
    draft.join(draft.agent(bad, bad, kind=bad).answer(bad), bad)
    draft.system(bad, bad).attachment(bad, text=bad).queued(bad).api_error(bad).compact(bad, trigger=bad)
    draft.rewind(to=1).prompt(f"{bad} again").answer(bad)
    for record in draft.rows:
        if isinstance(record, dict) and "version" in record:
            record["version"] += bad
    return draft


def hostile_desktop(directory: Path, number: int, bad: str) -> None:
    """Write a row and a manifest that say something hostile in every field, and a log about them."""
    session, app = (f"{number:08x}-{part}-4000-8000-000000000000" for part in ("0000", "0001"))
    texts: dict[str, Any] = dict.fromkeys(
        ("title", "model", "cwd", "originCwd", "branch", "error", "accountName", "emailAddress"), bad
    )
    texts |= {"cliSessionId": session, bad: {bad: [bad]}, "mcqAnswers": {bad: bad}, "scheduledTaskId": bad}
    texts["sshConfig"] = {"host": bad, "user": bad}
    row(directory, app, **texts)
    path = manifest(directory, f"{number:08x}-0002-4000-8000-000000000000", **texts, userSelectedFolders=[bad])
    records = [
        {"type": "permission_response", "tool": bad, "decision": bad, "reason": bad},
        {"type": "result", "subtype": bad},
    ]
    inside(path, "audit.jsonl", b"".join(map(line, records)))
    made = inside(path, f"outputs/{number}{bad if is_file_name(bad) and len(bad) < 200 else ''}", b"x")
    os.utime(made, (0, 0))  # how long ago it was must not change while the test runs
    desktop_file(directory, f"logs/{number}.log", f"[error] {app} {bad}\n".encode("utf-8", "surrogatepass"))
    scopes = {"groups": [{"id": "g", "name": bad}], "assignments": {f"code:local_{app}": "g"}}
    settings: dict[str, Any] = {"mcpServers": {bad: {"command": bad, "env": {bad: bad}}}}
    settings["preferences"] = {"epitaxyPrefs": {"dframe-group-scopes": {f"{ACCOUNT}/{ORGANIZATION}": scopes}}}
    desktop_file(directory, "claude_desktop_config.json", settings)
    desktop_file(directory, "buddy-tokens.json", {bad: bad})


def is_file_name(text: str) -> bool:
    """Say whether the system takes a text as the name of a file."""
    try:
        return not {"/", "\0"} & set(text) and bool(os.fsencode(text))
    except UnicodeEncodeError:
        return False


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a home in which everything is hostile, the names of its files included."""
    directory = home(tmp_path_factory.mktemp("hostile"))
    for number, start in enumerate(range(0, len(SEQUENCES), AT_ONCE)):
        hostile_session(number, " ".join(SEQUENCES[start : start + AT_ONCE])).write(directory, key=f"-p{number}")
    write_desktop(directory, " ".join(SEQUENCES))
    for number, start in enumerate(range(0, len(SEQUENCES), AT_ONCE)):
        hostile_desktop(directory, number, " ".join(SEQUENCES[start : start + AT_ONCE]))
    for number, bad in enumerate(SEQUENCES):
        if is_file_name(bad):
            torn = Draft(f"odd{number}").prompt("Hello").tear()
            write_transcript(directory, f"-{bad}", f"{number}{bad}", torn.text())
    for path in directory.rglob("*"):
        os.utime(path, (LONG_AGO, LONG_AGO), follow_symlinks=False)  # a torn line of a minute ago is no damage yet
    return directory


def lines(root: Path) -> list[list[str]]:
    """Return every command line that shows something to people."""
    sessions = [f"{number:08x}-0000" for number in range(-(-len(SEQUENCES) // AT_ONCE))]
    found = [["overview"], ["stores"], ["list", "--all"], ["list", "--all", "--agents"], ["calls"], ["calls", "--full"]]
    found += [["calls", "--full", "--redact"], ["search", "--all-hits", "--redact", "x"]]
    found += [["search", "--all-hits", "--limit", "500", text] for text in ("x", "a", "role:user", "kind:title")]
    found += [["tools"], ["usage", "--audit"], *(["usage", "--by", key] for key in ("model", "project", "session"))]
    found += [["usage", "--by", key] for key in ("account", "agent", "branch", "day,model")]
    found += [
        ["files", "--all"],
        ["recover", "--grep", "e"],
        ["blame", "e"],
        ["recover", "--all", "--write", str(root)],
    ]
    found += [
        *(["doctor", "--kind", kind] for kind in ("damaged", "ghost", "account", "cloud", "chain", "worktree")),
        ["doctor"],
        ["doctor", "--fix"],
        ["drift"],
        ["drift", "attachment"],
        ["drift", "user"],
        ["worktrees"],
        ["flags"],
        ["flags", "--diff", str(root / ".claude" / "projects")],
    ]
    found += [["storage", "--everything", "--deleted"], ["storage", "*"], ["storage", "--marks"]]
    found += [["accounts"], ["cowork"], ["stores", "--logs"], ["stores", "--mcp"]]
    found += [["list", "--all", "--sidebar", ACCOUNT[:8]], ["archive"], ["archive", "verify"], ["transfer", "log"]]
    found += [["transfer", "copy", "--all", "--to", ACCOUNT[:8]], ["transfer", "project", "/r", "/s"]]
    found += [["transfer", "pins", ACCOUNT[:8], "--to", f"x{bad}"] for bad in SEQUENCES[::9]]
    for session in sessions:
        found += [["cowork", session], ["cowork", session, "--full"], ["show", session, "--logs"]]
        found += [
            ["show", session],
            ["show", session, "--full", "--all-branches"],
            ["tree", session],
            ["resume", session, "--print"],
            ["outline", session],
        ]
    for session in sessions[::8]:
        found += [["show", session, "--full", "--format", form] for form in ("md", "html", "json")]
        found += [["show", session, "--full", "--redact"], ["redact", session], ["share", session, "--plan"]]
        found += [["transfer", "resume", session, "--cwd", str(root)], ["transfer", "row", session]]
        found += [["transfer", "copy", session, "--to", ACCOUNT[:8]]]
        found += [["calls", session, "--full"], ["usage", "--session", session, "--timeline"]]
    found += [["export", "--dir", str(root)]]
    for session, start in list(zip(sessions, range(0, len(SEQUENCES), AT_ONCE), strict=True))[::4]:
        path = f"/{' '.join(SEQUENCES[start : start + AT_ONCE])}.py"
        found += [["files", "--patch", session], ["recover", path], ["recover", path, "--print"]]
        found += [["files", "--patch", session, "--redact"], ["recover", path, "--print", "--redact"]]
        found += [["recover", path, "--version", "1"], ["recover", path, "--diff", "1", "1"]]
    found += [["show", sessions[0], "--raw"]]
    found += [[command, f"nobody {bad}"] for bad in SEQUENCES for command in ("show", "recover", f"x{bad}")]
    found += [["show", "00000000", "--branch", bad] for bad in SEQUENCES]
    return [["--root", str(root), "--no-update", *line] for line in found]


def seen(root: Path, directory: Path, *, colour: bool, columns: int) -> str:
    """Run all commands at a terminal of their own and return every character that it was sent."""
    commands = directory / "commands.json"
    commands.write_text(json.dumps([["--no-color", *line] if not colour else line for line in lines(root)]))
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    settings = {"TERM": "xterm-256color", "BACKSCROLL_PAGER": "cat", "LANG": "C.UTF-8", "TZ": "UTC"}
    with subprocess.Popen(
        [sys.executable, "-c", RUN_ALL, str(commands)],
        stdin=slave,
        stdout=slave,
        stderr=slave,
        env=os.environ | settings,
    ) as child:
        os.close(slave)
        try:
            data = b"".join(iter(lambda: read(master), b""))
        except BaseException:
            child.kill()  # it would wait for a reader for ever
            raise
        os.close(master)

    assert 0 == child.returncode
    return PROGRESS.sub("", data.decode().replace("\r\n", "\n"))


def read(terminal: int) -> bytes:
    """Return what was written to a terminal; nothing once the last program has left it."""
    try:
        return os.read(terminal, 1 << 16)
    except OSError:
        return b""


def excerpts(text: str) -> set[str]:
    """Return what should not have been sent, with what stands around it."""
    return {text[max(found.start() - 30, 0) : found.end() + 30] for found in FOREIGN.finditer(text)}


def test_there_are_enough_sequences() -> None:
    """At least 300 sequences are tried, all of them different."""
    assert len(set(SEQUENCES)) >= 300


def test_every_command_for_people_is_tried(root: Path) -> None:
    """No command that prints what it read is left out."""
    tried = {line[3] for line in lines(root)}

    assert set(COMMANDS) - {"index", "demo", "completion", "help", "statusline", "watch", "web"} <= tried


@pytest.mark.slow
@pytest.mark.timeout(1800)  # it runs some thousands of commands
@pytest.mark.parametrize("columns", [60, 3000])
def test_nothing_foreign_reaches_the_terminal(columns: int, root: Path, tmp_path: Path) -> None:
    """Goal 12: with colours off no escape arrives, and with colours on the same text and our colours only."""
    update = subprocess.run(
        [sys.executable, "-m", "backscroll", "--root", str(root), "index"], capture_output=True, check=False
    )
    plain = seen(root, tmp_path, colour=False, columns=columns)
    coloured = seen(root, tmp_path, colour=True, columns=columns)

    assert 0 == update.returncode
    assert len(plain) > 500_000
    assert "\\x1b]52;c;ZXZpbA==" in plain
    assert set() == excerpts(plain)
    assert set() == excerpts(OURS.sub("", coloured))
    assert OURS.search(coloured)
    # Without colours thinking is marked by a word.
    plain, coloured = plain.replace("thinking:", ""), coloured.replace("thinking:", "")
    # Colours move the places where lines are broken, and nothing else.
    assert ("", "") == first_difference("".join(plain.split()), "".join(OURS.sub("", coloured).split()))
    if columns > 100:
        assert ("", "") == first_difference(" ".join(plain.split()), " ".join(OURS.sub("", coloured).split()))


def first_difference(one: str, other: str) -> tuple[str, str]:
    """Return the surroundings of the first place where two texts differ; a diff of megabytes would take hours."""
    if one == other:
        return "", ""
    place = next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    return one[max(place - 200, 0) : place + 200], other[max(place - 200, 0) : place + 200]
