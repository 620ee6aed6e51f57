"""`archive install` and `uninstall`: the timer, the hook, and the offer while nothing is kept."""

import json
import os
import plistlib
import shlex
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from command import said
from make import UUID, Draft, fingerprint, home, write_side

from backscroll.archive.timer import install
from backscroll.archive.timer.schedulers import TimerPlace, minutes_in, scheduler_of

SETTINGS: dict[str, Any] = {
    "cleanupPeriodDays": 30,
    "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "say done"}]}], "Start": []},
}


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a home with one session, on a system whose `systemctl` only notes its arguments."""
    directory = home(tmp_path / "root")
    Draft(UUID, "/home/ann/app").prompt("feed the okapi").answer("On it.").write(directory)
    tools = tmp_path / "tools"
    tools.mkdir()
    tool = tools / "systemctl"
    tool.write_text(f'#!/bin/sh\necho "$@" >> {tmp_path}/ran\n')
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tools}:{os.environ['PATH']}")
    return directory


def planned(root: Path, *words: str) -> tuple[int, dict[str, Any]]:
    """Run a command of the archive, and return its exit code and its answer."""
    code, out, _ = said("--root", root, "archive", *words, "--json")
    return code, json.loads(out)


def status(root: Path) -> Any:
    """Return the answer of `archive status`."""
    return planned(root, "status")[1]


def test_install_and_uninstall(root: Path, home: Path, tmp_path: Path) -> None:
    """The plan writes nothing; `--apply` writes the timer and starts it; `uninstall` leaves no file behind."""
    before = fingerprint(home)
    code, plan = planned(root, "install")
    assert (0, False, None, 3) == (code, plan["applied"], plan["journal"], len(plan["plan"]))
    assert before == fingerprint(home)
    assert status(root)["timer"] is None

    code, done = planned(root, "install", "--every", "30", "--apply")
    assert (0, True, {"done"}) == (code, done["applied"], {step["status"] for step in done["plan"]})
    ran = (tmp_path / "ran").read_text().splitlines()
    assert ["--user daemon-reload", "--user restart"] == [ran[0], " ".join(ran[1].split()[:2])]
    timer = status(root)["timer"]
    assert ("systemd", 30, True) == (timer["kind"], timer["every"], Path(timer["path"]).is_file())
    assert {"same"} == {step["status"] for step in planned(root, "install", "--every", "30")[1]["plan"]}

    assert 0 == planned(root, "install", "--apply")[0]
    assert 10 == status(root)["timer"]["every"]
    assert 0 == planned(root, "uninstall", "--apply")[0]
    assert [] == [path for path in home.rglob("*") if path.is_file()]
    assert status(root)["timer"] is None
    assert 0 == said("--root", root, "transfer", "undo")[0]
    assert status(root)["timer"] is not None


def test_the_timer_runs_a_sync(root: Path) -> None:
    """The command in the unit, started as systemd starts it, fills the archive."""
    planned(root, "install", "--apply")
    place = Path(status(root)["timer"]["path"]).with_suffix(".service")
    lines = dict(line.split("=", 1) for line in place.read_text().splitlines() if "=" in line)
    variable = json.loads(lines["Environment"])
    command = shlex.split(lines["ExecStart"])
    environment = {"HOME": os.environ["HOME"], variable.split("=")[0]: variable.split("=", 1)[1]}
    subprocess.run(command, env=environment, check=True, capture_output=True)

    assert 1 == status(root)["sessions"]


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="needs systemd-analyze, which is not installed")
def test_systemd_accepts_the_units(root: Path, tmp_path: Path) -> None:
    """`systemd-analyze verify` has nothing to say about the timer and the service."""
    planned(root, "install", "--apply")
    timer = status(root)["timer"]["path"]
    environment = os.environ | {"XDG_RUNTIME_DIR": str(tmp_path)}
    line = ["systemd-analyze", "verify", "--user", "--man=no", timer]
    done = subprocess.run(line, env=environment, check=False, capture_output=True, text=True)

    assert "backscroll" not in done.stderr
    assert 0 == done.returncode, done.stderr


def test_the_hook(root: Path) -> None:
    """The hook joins the others, runs a sync and never fails; `uninstall` gives the same settings back."""
    write_side(root, "settings.json", json.dumps(SETTINGS).encode())
    path = root / ".claude/settings.json"
    assert 0 == planned(root, "install", "--hook", "--apply")[0]
    settings = json.loads(path.read_bytes())
    first, ours = settings["hooks"]["Stop"]
    assert (SETTINGS["hooks"]["Stop"], 30) == ([first], settings["cleanupPeriodDays"])
    assert 0 == subprocess.run(["sh", "-c", ours["hooks"][0]["command"]], check=False).returncode
    assert 1 == status(root)["sessions"]
    assert "same" == planned(root, "install", "--hook")[1]["plan"][-1]["status"]

    assert 0 == planned(root, "uninstall", "--apply")[0]
    assert SETTINGS == json.loads(path.read_bytes())


def test_the_hook_in_a_foreign_directory(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The hook runs no code of the project in which Claude Code works, and fills the same archive from anywhere."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BACKSCROLL_HOME", "ours")
    assert 0 == said("--root", root.relative_to(tmp_path), "archive", "install", "--hook", "--apply")[0]
    ours = json.loads((root / ".claude/settings.json").read_bytes())["hooks"]["Stop"][-1]
    project = tmp_path / "project"
    project.mkdir()
    for name in ("sqlite3", "click", "json"):
        (project / f"{name}.py").write_text("open('taken', 'w')\nraise SystemExit\n")
    subprocess.run(["sh", "-c", ours["hooks"][0]["command"]], check=True, cwd=project)

    assert 1 == status(root)["sessions"]
    assert {"sqlite3.py", "click.py", "json.py"} == {path.name for path in project.iterdir()}


def test_settings_that_cannot_be_read_stay(root: Path, home: Path) -> None:
    """Settings that are no JSON: exit 4, and not even the timer is written."""
    write_side(root, "settings.json", b'{"hooks": nonsense')
    before = fingerprint(root), fingerprint(home)
    code, plan = planned(root, "install", "--hook", "--apply")

    assert (4, False, "refused") == (code, plan["applied"], plan["plan"][-1]["status"])
    assert before == (fingerprint(root), fingerprint(home))


def test_a_system_without_systemd(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without systemctl nothing is written, and the answer has a line for cron."""
    monkeypatch.setenv("PATH", "/nowhere")
    code, plan = planned(root, "install", "--apply")

    assert 4 == code
    _, _, line = plan["plan"][0]["why"].partition("crontab: */10 * * * * ")
    subprocess.run(["/bin/sh", "-c", line.replace("\\%", "%")], env={}, check=True, capture_output=True)
    assert 1 == status(root)["sessions"]
    assert "crontab: 0 */2 * * * " in planned(root, "install", "--every", "120")[1]["plan"][0]["why"]


def test_a_scheduler_that_fails(root: Path, tmp_path: Path) -> None:
    """A command that fails is named with its words, and the files stay."""
    (tmp_path / "tools/systemctl").write_text("#!/bin/sh\necho no bus >&2\nexit 1\n")
    code, done = planned(root, "install", "--apply")

    assert (0, [("failed", "no bus")] * 2) == (code, [(one["status"], one["why"]) for one in done["commands"]])
    assert "next login" in said("--root", root, "archive", "install", "--every", "5", "--apply")[1]


@pytest.mark.parametrize("every", ["0", "9999", "x"])
def test_bad_intervals(root: Path, every: str) -> None:
    """An interval that no timer has is wrong use."""
    assert 2 == said("--root", root, "archive", "install", "--every", every)[0]


def place_for(platform: str, home: Path) -> TimerPlace:
    """Return a user on another system, whose root has a name that needs quoting."""
    env = {"BACKSCROLL_HOME": str(home / "our's"), "HOME": str(home)}
    return TimerPlace(home, home / "our's", env, "home", (Path('/a "b" %c & <d>'),), platform)


def test_launchd(home: Path) -> None:
    """The property list of macOS has the command, its environment and the interval."""
    place = place_for("darwin", home)
    scheduler = scheduler_of(place, 15)
    ((path, data),) = scheduler.files.items()
    job = plistlib.loads(data)

    assert home / "Library/LaunchAgents/backscroll-archive.plist" == path
    assert (900, place.command, place.variables) == (
        job["StartInterval"],
        job["ProgramArguments"],
        job["EnvironmentVariables"],
    )
    assert 15 == minutes_in(data)
    planned = install.plan_install(place, home / ".claude", every=15)
    assert [["planned"], ["launchctl", "bootstrap"]] == [
        [step.status for step in planned.changes.steps],
        planned.commands[0].command[:2],
    ]
    assert [] == planned.before
    path.parent.mkdir(parents=True)
    path.write_bytes(data)
    again = install.plan_install(place, home / ".claude", every=30)
    assert [["launchctl", "bootout"]] == [one.command[:2] for one in again.before], "a loaded job is not loaded twice"


def test_windows(home: Path) -> None:
    """The task of Windows is XML with the command and the interval."""
    place = place_for("win32", home)
    scheduler = scheduler_of(place, 20)
    ((path, data),) = scheduler.files.items()
    task = ET.fromstring(data.decode("utf-16"))  # noqa: S314 - our own
    names = {element.tag.partition("}")[2]: element.text for element in task.iter()}

    assert ("PT20M", "cmd.exe", 20) == (names["Interval"], names["Command"], minutes_in(data))
    assert "archive sync" in (names["Arguments"] or "")
    assert place.own / "backscroll-archive.xml" == path
    planned = install.plan_install(place, home / ".claude", every=20)
    install.carry_out(planned, place, home / "journal")
    assert (True, data) == (planned.changes.applied, path.read_bytes())
    assert "failed" == planned.commands[0].status, "there is no schtasks here"


def test_the_offer(root: Path) -> None:
    """While nothing is kept, overview and list name the sessions that expire this week; afterwards they do not."""
    (path,) = root.rglob(f"{UUID}.jsonl")
    old = time.time() - 26 * 86400
    os.utime(path, (old, old))
    offer = "1 session expires this week; "
    told = [said("--root", root, *words)[1] for words in (["overview"], ["list"])]
    assert [True, False] == [offer in text for text in told], "a pipe gets the list alone"
    assert said("--root", root, "archive", "sync")[0] == 0
    assert offer not in said("--root", root, "overview")[1]
