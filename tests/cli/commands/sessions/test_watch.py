"""`backscroll watch` as a process: what another process writes, torn, rotated and cut, comes out once and in order."""

import json
import signal
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from command import PROGRAM, TIMEOUT
from make import UUID, Draft, home, line, user, write_transcript

NUMBER = 40


def said(number: int, minutes: float = 5) -> bytes:
    """Return the record of a message that is said in some minutes, so that no clock makes it history."""
    time = (datetime.now(UTC) + timedelta(minutes=minutes)).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    uuid = f"{number:08}-0000-4000-8000-000000000000"
    return line(user(uuid, None, f"text {number} {'é' * (number * 97 % 3000)}", timestamp=time))


@pytest.mark.slow
def test_watch(tmp_path: Path) -> None:
    """Each record is told as soon as it is whole; Ctrl-C ends it well."""
    root = home(tmp_path)
    path = write_transcript(root, "-p", UUID, [said(0, minutes=-60)])
    watching = subprocess.Popen(
        [*PROGRAM, "--root", str(root), "watch", "--jsonl"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=heed_interrupts,  # noqa: PLW1509 - no other thread runs in this process
    )
    told: list[dict[str, Any]] = []
    try:
        number = 1
        while not told:  # until it watches: what was written before that is history
            write_transcript(root, "-p", f"start-{number}", [said(1000 + number)])
            number += 1
            told = lines_within(watching, 1.0)
        for number in range(1, NUMBER + 1):
            write_in_pieces(path, said(number))
            if number == 10:
                path.rename(path.with_suffix(".jsonl.superseded-1"))
            elif number == 20:
                path.write_bytes(path.read_bytes())
            told.append(next_of(watching, UUID))
            if number == 30:
                path.write_bytes(b"")
    finally:
        watching.send_signal(signal.SIGINT)
        rest, errors = watching.communicate(timeout=TIMEOUT)

    texts = [message["parts"][0]["text"].split()[1] for message in told if message["session"] == UUID]
    assert [str(number) for number in range(1, NUMBER + 1)] == texts
    assert (0, b"", b"") == (watching.returncode, rest, errors)


def heed_interrupts() -> None:
    """Have a new process heed Ctrl-C, which a shell has its background jobs ignore: tests may be one."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def next_of(process: "subprocess.Popen[bytes]", session: str) -> dict[str, Any]:
    """Return the next message of a session that a process tells."""
    assert process.stdout is not None
    while True:
        message: dict[str, Any] = json.loads(process.stdout.readline())
        if message["session"] == session:
            return message


def write_in_pieces(path: Path, data: bytes) -> None:
    """Write a record as a slow writer does."""
    with path.open("ab") as file:
        for start in range(0, len(data), 700):
            file.write(data[start : start + 700])
            file.flush()


def lines_within(process: "subprocess.Popen[bytes]", seconds: float) -> list[dict[str, Any]]:
    """Return what a process has told within some time."""
    import select  # noqa: PLC0415  (not on Windows)

    assert process.stdout is not None
    ready, _, _ = select.select([process.stdout], [], [], seconds)
    return [json.loads(process.stdout.readline())] if ready else []


@pytest.mark.parametrize("session", [UUID, None], ids=["one", "all"])
def test_what_is_followed(tmp_path: Path, session: str | None) -> None:
    """Before anything is written, `watch` says which session it follows, with title and project."""
    draft = Draft(UUID, "/srv/shop").prompt("Hello").answer("Hi.")
    draft.record(type="custom-title", customTitle="Parse amounts", sessionId=UUID).write(home(tmp_path))
    command = [*PROGRAM, "--root", str(tmp_path), "watch", *([session] if session else [])]
    watching = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=heed_interrupts,  # noqa: PLW1509 - no other thread runs in this process
    )
    assert watching.stderr is not None
    first = watching.stderr.readline().decode()
    watching.send_signal(signal.SIGINT)
    watching.communicate(timeout=TIMEOUT)

    expected = f"Parse amounts, in /srv/shop, session {UUID}" if session else "all sessions (1 so far)"
    assert f"backscroll: following {expected}; Ctrl-C ends it\n" == first
