"""The read-only proof: every reading command, watched by strace, changes nothing of Claude's and talks to nobody."""

import os
import re
import shutil
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from command import PROGRAM, TIMEOUT, run
from make import Draft, bash, fingerprint, home, write_demo_home, write_desktop

from backscroll.cli.main import COMMANDS
from backscroll.cli.main import run as run_here

pytestmark = pytest.mark.slow

needs_strace = pytest.mark.skipif(shutil.which("strace") is None, reason="needs strace, which is not installed")

CHANGES = re.compile(
    r"(?:mkdir|rmdir|rename|unlink|link|symlink|mknod|chmod|fchmod|chown|fchown|lchown|utime|futimes|truncate|ftruncate"
    r"|setxattr|lsetxattr|fsetxattr|removexattr|fremovexattr|fallocate|mount|umount|chroot)"
)
WRITES = re.compile(r"p?write|copy_file|sendfile|splice")
OPENS = ("open", "openat", "openat2", "creat")
FOR_WRITING = re.compile(r"O_WRONLY|O_RDWR|O_CREAT|O_TRUNC|O_APPEND|O_TMPFILE")

SESSION = "latest"
READING = {
    "overview": [[], ["--json"], ["--no-update"]],
    "stores": [[], ["--json"], ["--no-update"], ["--logs"], ["--mcp"]],
    "list": [
        ["--all"],
        ["--pinned"],
        ["--sidebar", "ann@example.com"],
        ["--agents", "--all"],
        ["--json"],
        ["--jsonl"],
        ["--since", "2w"],
        ["--no-update"],
    ],
    "show": [
        [SESSION],
        [SESSION, "--full"],
        [SESSION, "--all-branches", "--format", "md"],
        [SESSION, "--format", "html"],
        [SESSION, "--format", "json"],
        [SESSION, "--jsonl"],
        [SESSION, "--raw"],
        [SESSION, "--logs"],
        [SESSION, "--no-update"],
    ],
    "tree": [[SESSION], [SESSION, "--json"], [SESSION, "--no-update"]],
    "outline": [[SESSION], [SESSION, "--json"], [SESSION, "--no-update"]],
    "calls": [[], [SESSION, "--full"], ["--json"], ["--errors", "--jsonl"], [SESSION, "--no-update"]],
    "search": [
        ["the"],
        ["the", "--json"],
        ["--exact", "a"],
        ["--regex", "t.e"],
        ["the", "--context", "1"],
        ["the", "--no-update"],
    ],
    "usage": [[], ["--by", "project"], ["--session", SESSION, "--timeline"], ["--audit", "--json"], ["--csv"]],
    "tools": [[], ["--json"], ["--csv"], ["--no-update"]],
    "files": [[], ["--all", "--json"], ["--match", "*.py", "--jsonl"], ["--patch", "3f0c2a51"], ["--no-update"]],
    "recover": [
        ["amounts.py"],
        ["amounts.py", "--json"],
        ["amounts.py", "--version", "1", "--print"],
        ["amounts.py", "--diff", "3", "4"],
        ["amounts.py", "--in-place"],
        ["--grep", "float"],
        ["--all", "--project", "ledger", "--write", "TMP/recovered"],
    ],
    "share": [
        [SESSION, "--plan"],
        [SESSION, "--plan", "--json", "--format", "md"],
        [SESSION, "-o", "TMP/shared.html", "--images"],
        ["--project", "ledger", "--dir", "TMP/shared"],
    ],
    "export": [["--dir", "TMP/site"], ["--dir", "TMP/redacted", "--redact", "--json"]],
    "blame": [["amounts.py"], ["amounts.py", "--version", "2", "--json"]],
    "resume": [[SESSION, "--print"], [SESSION, "--json"]],
    "statusline": [["--no-update"]],
    "worktrees": [[], ["--json"], ["--no-update"]],
    "flags": [[], ["--json", "--prefix", "tengu_"], ["--diff", "."]],
    "storage": [[], ["--indexeddb", "--deleted", "--everything", "--json"], ["dframe-store"], ["--marks"]],
    "accounts": [[], ["--json"], ["--no-update"]],
    "cowork": [[], ["6b1e7c44"], ["--json"]],
    "doctor": [[], ["--json"], ["--session", SESSION], ["--kind", "expiring", "--no-update"], ["--fix"]],
    "drift": [[], ["--json"], ["--schema"], ["assistant"]],
    "redact": [
        [SESSION],
        [SESSION, "--json"],
        [SESSION, "--clean", "-o", "TMP/clean.jsonl"],
        ["--rules"],
        ["--git-hook"],
    ],
    "index": [[], ["--rebuild"], ["--json"]],
}
WRITING = {"archive", "transfer"}
"""Commands that may change Claude's directories, by plan and journal; tests/changes/ and tests/archive/ prove it."""
OTHERWISE = {"demo", "completion", "help", "watch", "web"}
"""Commands that read nothing, of which one writes where it is told to; and two that never end by themselves."""


class SystemCall(NamedTuple):
    """One call to the system: its name, and everything that it was given and gave."""

    name: str
    text: str


def watched(log: Path, *arguments: str | Path) -> list[SystemCall]:
    """Run one of our commands under strace and return every call that concerns a file or the network."""
    watcher = ["strace", "-f", "-qq", "-y", "-s", "4096", "-e", "trace=%file,%desc,%network", "-o", str(log)]
    done = subprocess.run(
        [*watcher, *PROGRAM, *map(str, arguments)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=TIMEOUT,
        check=False,
    )

    assert b"Traceback" not in done.stderr
    return list(parsed(log.read_text(errors="surrogateescape")))


def parsed(log: str) -> Iterator[SystemCall]:
    """Yield the calls of a log; the second half of an interrupted one counts as a call of its own."""
    for line in log.splitlines():
        found = re.match(r"\d+ +(?:<\.\.\. )?(\w+)(.*)", line, re.DOTALL)
        if found:
            yield SystemCall(found[1], found[2])


def changes(calls: list[SystemCall], below: Path) -> list[str]:
    """Return the calls that could change something at or below a directory, whether they succeeded or not."""
    return [f"{name}{text}" for name, text in calls if str(below) in changed(name, text)]


def changed(name: str, text: str) -> str:
    """Return the part of a call that names what it would change; of a write not what is written."""
    if WRITES.match(name):
        return text.partition('"')[0]
    is_change = FOR_WRITING.search(text) or name == "creat" if name in OPENS else CHANGES.match(name)
    return text if is_change else ""


def network(calls: list[SystemCall]) -> list[str]:
    """Return the calls that reach beyond this machine's own sockets."""
    reaching = re.compile(r"\bAF_(?!UNIX|UNSPEC)")
    return [f"{name}{text}" for name, text in calls if reaching.search(text.partition('"')[0])]  # not what is read


def opened(calls: list[SystemCall]) -> set[str]:
    """Return every path that was opened, or tried."""
    paths = (re.search(r'"((?:[^"\\]|\\.)*)"', text) for name, text in calls if name in OPENS)
    return {path[1] for path in paths if path}


COMMAND_LINES = [
    ("archive", "sync"),
    ("archive", "status"),
    ("archive", "install", "--hook"),
    ("archive", "uninstall"),
    ("archive", "repair", "--apply"),
    ("archive", "prune", "--superseded", "--apply"),
    ("archive", "mirror", "TMP", "--apply"),
    ("archive", "import", "TMP/demo"),
    ("archive", "verify", "--read-data"),
    ("transfer", "log"),
    *((name, *arguments) for name, variants in READING.items() for arguments in variants),
]


def test_every_command_is_watched() -> None:
    """No command of the program is left out of the proof."""
    assert set(COMMANDS) == READING.keys() | OTHERWISE | WRITING


@needs_strace
@pytest.mark.slow
@pytest.mark.parametrize("line", COMMAND_LINES, ids=" ".join)
def test_reading_changes_nothing(line: tuple[str, ...], tmp_path: Path) -> None:
    """Goal 17: no command makes a call that writes below the home that it reads, and none connects to anything."""
    root = write_desktop(write_demo_home(tmp_path / "demo"))
    before = fingerprint(root)

    calls = watched(tmp_path / "log", "--root", root, *(word.replace("TMP", str(tmp_path)) for word in line))

    assert len(calls) > 100
    assert [] == changes(calls, root)
    assert [] == network(calls)
    assert before == fingerprint(root)


@needs_strace
@pytest.mark.slow
@pytest.mark.corpus
@pytest.mark.parametrize("line", [("list", "--all", "--agents"), ("calls", "--json"), ("show", "latest")], ids=" ".join)
def test_reading_a_large_home_changes_nothing(line: tuple[str, ...], corpus: Path, tmp_path: Path) -> None:
    """Goal 17: nor do the processes that read a large home together."""
    calls = watched(tmp_path / "log", "--root", corpus / "home", *line)

    assert len(calls) > 100
    assert [] == changes(calls, corpus)
    assert [] == network(calls)


@needs_strace
def test_reading_ones_own_home_writes_in_one_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Goal 17: without a root and without BACKSCROLL_HOME, all that is written lies in our own directory."""
    root = write_demo_home(tmp_path / "demo")
    monkeypatch.setenv("HOME", str(root))
    monkeypatch.delenv("BACKSCROLL_HOME")

    written = changes(watched(tmp_path / "log", "list"), root)

    assert len(written) > 5
    assert [] == [call for call in written if str(root / ".local") not in call]


@needs_strace
@pytest.mark.parametrize("mask", [0o000, 0o022, 0o077])
def test_what_is_ours_is_for_its_owner_only(mask: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Goal 18: whatever the umask, our files are made with mode 0600 and our directories with 0700."""
    own = tmp_path / "ours"
    monkeypatch.setenv("BACKSCROLL_HOME", str(own))
    root = write_demo_home(tmp_path / "demo")

    previous = os.umask(mask)
    try:
        calls = watched(tmp_path / "log", "--root", root, "list")
    finally:
        os.umask(previous)

    modes = {(path.is_dir(), stat.S_IMODE(path.stat().st_mode)) for path in [own, *own.rglob("*")]}
    assert {(True, 0o700), (False, 0o600)} == modes
    # SQLite asks for 0644 when it opens an index that we have just made with 0600.
    made = [text for name, text in calls if name in OPENS and "O_CREAT" in text and str(own) in text]
    assert {"0600", "0644"} >= {text.rpartition(") = ")[0].rpartition(", ")[2] for text in made}
    assert "0600" in made[0]


HOSTILE_IDS = [
    *(
        f"{'../' * depth}{name}"
        for depth in range(1, 9)
        for name in ("etc/passwd", "tmp/x.jsonl", "", "root/.ssh/id_rsa")
    ),
    *(f"/{name}" for name in ("", "etc/passwd", "etc/shadow", "dev/zero", "proc/self/environ", "nowhere.jsonl")),
    *(f"..\\{name}" for name in ("windows\\win.ini", "x.jsonl", "", "..\\..\\boot.ini")),
    *("C:\\x", "C:x", "\\\\server\\share", "\\\\?\\C:\\x", "//server/share", "file:///etc/passwd", "http://evil/x"),
    *("CON", "NUL", "aux.txt", "COM1", "a:b", "a.", "a ", "~", "~root", "~/.ssh/id_rsa", "$HOME", "${HOME}", "`id`"),
    *("$(id)", ";id", "|id", "&id", "&&id", "a;b", "a|b", "a\nb", "a\rb", "\n", "\r\n", "\t", " ", "", "\0", "a\0b"),
    *("x\0.jsonl", "\x1b[2J", "\x1b]0;x\x07", "\x9b2J", "\x07", "\x7f", "\u202ex", "\u200b", "\ufeff", "\U000e0041"),
    *("\udcff", "\ud800", "a\udc80.jsonl", "é", "e\u0301", "日本語", "😀", "\u2028", "\xa0", "\uffff", "ﬀ", "İ", "ß"),
    *("x" * length for length in (1, 128, 255, 256, 4096, 65_536, 1_000_000)),
    *("/x" * 3000, "../" * 3000, "x" * 300 + ".jsonl", "a/" * 5000 + ".jsonl"),
    *("'", '"', "''", "';--", "' OR 1=1 --", '" OR ""="', "1; DROP TABLE session", "x' UNION SELECT 1 --", "\\", "\\'"),
    *("%", "_", "%%", "%a%", "*", "?", "[a-z]", "a*", "*.jsonl", "{a,b}", "[", "]", "[[]", "**/*", "!(a)", "a?c"),
    *(
        '"',
        "a AND b",
        "a OR",
        "NOT",
        "NEAR(a b)",
        "a*b",
        "^a",
        "col:a",
        "(a",
        "a)",
        "-a",
        "+a",
        "a-b",
        "c++",
        "(" * 400,
    ),
    *("-x", "--help-me", "-", "-rf", "--root", "--no-such=/etc", "---", "-c", "--json=1", "-\n", "--\0"),
    *(
        "0",
        "-1",
        "1e999",
        "NaN",
        "null",
        "None",
        "true",
        "[]",
        "{}",
        "{'a':1}",
        "%s",
        "%n",
        "{0}",
        "{session}",
        "%(x)s",
    ),
    *(
        "latest ",
        "LATEST",
        "latest\n",
        "local_",
        "local_local_",
        "local_../x",
        "LOCAL_x",
        ".",
        "..",
        "...",
        "./",
        "./.",
        "/.",
    ),
    *(
        "<script>",
        "[bold]",
        "[/foo]",
        "[link=file:///etc/passwd]x[/link]",
        "\\x1b",
        "\\u0000",
        "%2e%2e%2f",
        "%00",
        "..%5c",
    ),
]
NO_OPTION = [name for name in HOSTILE_IDS if not name.startswith("-")]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a home with one session."""
    directory = home(tmp_path / "user")
    Draft("11111111-1111-4111-8111-111111111111").prompt("Hello").answer(calls=[bash("ls", "a")]).write(directory)
    return directory


def test_there_are_enough_hostile_ids() -> None:
    """T04: at least 200 ids are tried, all of them different."""
    assert len(set(HOSTILE_IDS)) >= 200


@pytest.mark.parametrize("command", ["show", "tree", "calls", "cowork", "usage --session", "tools --session"])
def test_hostile_ids_find_nothing(command: str, root: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """T04: an id that no session has is answered with exit 1 or 2 and a sentence, whatever it looks like."""
    line = ["--root", str(root), *command.split()]
    codes = {}
    for name in HOSTILE_IDS:
        codes[name] = {run_here([*line, name]), run_here([*line, "--", name])}
        output, errors = capfd.readouterr()

        assert "" == output, name
        assert "Traceback" not in errors, name
        assert "internal error" not in errors, (name, errors)
        assert "\x1b" not in errors, name

    assert {} == {name: found for name, found in codes.items() if not found <= {1, 2}}


@pytest.mark.parametrize(
    "line",
    [
        ("show", "\udcff\udcfe"),
        ("tree", "\udcff"),
        ("calls", "\udcff"),
        ("show", "11111111", "--branch", "\udcff"),
        ("usage", "--session", "\udcff"),
    ],
)
def test_bytes_that_are_no_text_find_nothing(line: tuple[str, ...], root: Path) -> None:
    """T04: bytes that are not UTF-8 on the command line are an unknown id too."""
    assert 1 == run("--root", root, *line).returncode


@pytest.mark.parametrize(
    "line",
    [
        ("list", "--project", "\udcff"),
        ("list", "--store", "\udcff"),
        ("list", "--account", "\udcff"),
        ("list", "--account", "\udcff@x"),
        ("list", "--sidebar", "\udcff"),
        ("list", "--state", "\udcff"),
        ("calls", "--tool", "\udcff"),
        ("usage", "--model", "\udcff"),
        ("tools", "--project", "\udcff"),
    ],
)
def test_bytes_that_are_no_text_filter_everything(line: tuple[str, ...], root: Path) -> None:
    """T04: as a filter they let nothing pass, and are no fault of the program."""
    assert run("--root", root, *line).returncode in (0, 1, 2)


@needs_strace
@pytest.mark.parametrize(
    "name",
    ["../../../../etc/passwd", "/etc/passwd", "/etc/hostname.jsonl", "~/.ssh/id_rsa", "*", "' OR 1=1 --", "..", "/"],
)
def test_hostile_ids_open_nothing(name: str, root: Path, tmp_path: Path) -> None:
    """T04: for a hostile id no file is opened but those that any unknown id needs."""
    run("--root", root, "list")
    usual = opened(watched(tmp_path / "usual", "--root", root, "show", "nobody"))

    assert usual >= opened(watched(tmp_path / "hostile", "--root", root, "show", name))
