"""The schedulers that run `archive sync` every few minutes: systemd, launchd and the Windows task scheduler.

Each is a set of files and the commands that start and stop it.  Nothing is written or run here.
"""

import os
import plistlib
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path

from backscroll import dirs

PASSED_ON = ("BACKSCROLL_HOME", "CLAUDE_CONFIG_DIR", "CLAUDE_USER_DATA_DIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME")
"""The variables that the timer must know, because a scheduler starts with an environment of its own."""
_EVERY = re.compile(rb"OnUnitActiveSec=(\d+)min|<key>StartInterval</key>\s*<integer>(\d+)</integer>|PT(\d+)M")

_SERVICE = """\
[Unit]
Description=Copy new sessions of Claude into the archive of backscroll

[Service]
Type=oneshot
{variables}ExecStart={command}
Nice=10
IOSchedulingClass=idle
"""
_TIMER = """\
[Unit]
Description=Run backscroll archive sync every {every} minutes

[Timer]
OnStartupSec=2min
OnUnitActiveSec={every}min
Unit={name}.service
"""
_WANTED = """\
[Unit]
Wants={name}.timer
"""
_TASK = """\
<?xml version="1.0" encoding="UTF-16"?>
<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">
  <RegistrationInfo>
    <Description>Copy new sessions of Claude into the archive of backscroll</Description>
  </RegistrationInfo>
  <Triggers>
    <TimeTrigger>
      <Repetition><Interval>PT{every}M</Interval></Repetition>
      <StartBoundary>2025-01-01T00:00:00</StartBoundary>
    </TimeTrigger>
  </Triggers>
  <Settings>
    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>
    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>
    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>
    <StartWhenAvailable>true</StartWhenAvailable>
  </Settings>
  <Actions>
    <Exec><Command>{program}</Command><Arguments>{arguments}</Arguments></Exec>
  </Actions>
</Task>
"""


@dataclass(frozen=True, slots=True)
class Scheduler:
    """The files of one timer, and the commands that start and stop it."""

    kind: str
    """systemd, launchd or windows."""
    files: dict[Path, bytes]
    """The first file has the interval."""
    start: list[list[str]] = field(default_factory=list)
    stop: list[list[str]] = field(default_factory=list)
    after: list[list[str]] = field(default_factory=list)
    """The commands that follow when the files are gone."""


@dataclass(frozen=True, slots=True)
class TimerPlace:
    """The user, system and archive of a timer."""

    home: Path
    """The home directory of the user who runs it."""
    own: Path
    """Our own directory."""
    env: Mapping[str, str]
    part: str
    """The name of the part of the archive: `home`, or one for other roots."""
    roots: Sequence[Path] = ()
    platform: str = sys.platform

    @property
    def name(self) -> str:
        """The name of the timer; each part of the archive has its own."""
        return "backscroll-archive" if self.part == "home" else f"backscroll-archive-{self.part}"

    @property
    def command(self) -> list[str]:
        """The command that the timer runs.

        With -P Python never imports modules from the current directory: a hook runs in the directory of a project.
        """
        roots = [word for root in self.roots for word in ("--root", str(Path(root).absolute()))]
        return [sys.executable, "-P", "-m", "backscroll", *roots, "archive", "sync"]

    @property
    def variables(self) -> dict[str, str]:
        """The variables that the command needs; a scheduler starts it in another directory, so paths are absolute."""
        given = {name: self.env[name] for name in PASSED_ON if self.env.get(name)}
        return {
            name: value if name.startswith("XDG_") else str(Path(value).absolute()) for name, value in given.items()
        }


def place_of(env: Mapping[str, str], part: str, roots: Sequence[Path]) -> TimerPlace:
    """Return the place of the timer of one part of the archive."""
    return TimerPlace(dirs.user_home(env) or Path("/"), dirs.home(env), env, part, roots)


def scheduler_of(place: TimerPlace, every: int) -> Scheduler:
    """Return the scheduler of a system."""
    if place.platform == "darwin":
        return _launchd(place, every)
    return _windows(place, every) if place.platform == "win32" else _systemd(place, every)


def minutes_in(data: bytes) -> int | None:
    """Return the interval that the file of a scheduler names."""
    found = _EVERY.search(data.replace(b"\0", b""))
    if found is None:
        return None
    return int(found[2]) // 60 if found[2] else int(found[1] or found[3])


def _systemd(place: TimerPlace, every: int) -> Scheduler:
    config = place.env.get("XDG_CONFIG_HOME", "")
    units = (Path(config) if config.startswith("/") else place.home / ".config") / "systemd/user"
    name = place.name
    variables = "".join(f"Environment={_unit_word(f'{key}={value}')}\n" for key, value in place.variables.items())
    command = " ".join(map(_unit_word, place.command))
    files = {
        units / f"{name}.timer": _TIMER.format(every=every, name=name),
        units / f"{name}.service": _SERVICE.format(variables=variables, command=command),
        # A drop-in starts the timer at login, as the link of `systemctl enable` does.
        units / f"timers.target.d/{name}.conf": _WANTED.format(name=name),
    }
    systemctl = ["systemctl", "--user"]
    return Scheduler(
        "systemd",
        {path: text.encode("utf-8", "surrogateescape") for path, text in files.items()},
        start=[[*systemctl, "daemon-reload"], [*systemctl, "restart", f"{name}.timer"]],
        stop=[[*systemctl, "stop", f"{name}.timer"]],
        after=[[*systemctl, "daemon-reload"]],
    )


def _unit_word(text: str) -> str:
    """Quote a word for a unit file of systemd, in which %, $ and backslashes are special."""
    for mark, doubled in (("\\", "\\\\"), ('"', '\\"'), ("%", "%%"), ("$", "$$"), ("\n", "\\n")):
        text = text.replace(mark, doubled)
    return f'"{text}"'


def _launchd(place: TimerPlace, every: int) -> Scheduler:
    path = place.home / f"Library/LaunchAgents/{place.name}.plist"
    job = {
        "Label": place.name,
        "ProgramArguments": place.command,
        "EnvironmentVariables": place.variables,
        "StartInterval": every * 60,
        "RunAtLoad": True,
        "ProcessType": "Background",
        "LowPriorityIO": True,
    }
    domain = f"gui/{os.getuid() if hasattr(os, 'getuid') else 0}"
    return Scheduler(
        "launchd",
        {path: plistlib.dumps(job)},
        start=[["launchctl", "bootstrap", domain, str(path)]],
        stop=[["launchctl", "bootout", f"{domain}/{place.name}"]],
    )


def _windows(place: TimerPlace, every: int) -> Scheduler:
    path = place.own / f"{place.name}.xml"
    command = subprocess.list2cmdline(place.command)
    program, arguments = place.command[0], subprocess.list2cmdline(place.command[1:])
    if place.variables:  # a task has no variables of its own
        settings = " && ".join(f'set "{name}={value}"' for name, value in place.variables.items())
        program, arguments = "cmd.exe", f'/c "{settings} && {command}"'
    text = _TASK.format(every=every, program=escape(program, quote=False), arguments=escape(arguments, quote=False))
    return Scheduler(
        "windows",
        {path: text.replace("\n", "\r\n").encode("utf-16", "replace")},
        start=[["schtasks", "/Create", "/F", "/TN", place.name, "/XML", str(path)]],
        stop=[["schtasks", "/Delete", "/F", "/TN", place.name]],
    )
