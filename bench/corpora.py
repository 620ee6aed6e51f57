"""The homes that are measured on: made by rule, kept in a cache, copied for every run.

`tiny` and `own` are made here.  `S` (20 MB), `M` (300 MB), `L` (2 GB) and `XL` (10 GB) come from
../shared/bench/gen_corpus.py, which models real transcripts closely; where that is absent, `own` homes of the same
size stand in for them.
BACKSCROLL_BENCH_CORPORA names a directory that holds some of them already.
"""

import json
import os
import random
import shutil
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import accumulate
from pathlib import Path
from typing import Any, TextIO

HERE = Path(__file__).parent
CACHE = HERE / ".cache"
GENERATOR = HERE.parent.parent / "shared" / "bench" / "gen_corpus.py"
PUBLIC = HERE.parent.parent / "shared" / "corpus" / "home"
REUSED = "BACKSCROLL_BENCH_CORPORA"
SIZES = {"S": 20_000_000, "M": 300_000_000, "L": 2_000_000_000, "XL": 10_000_000_000}
GENERATED = "made by ../shared/bench/gen_corpus.py"
START = datetime(2026, 6, 1, 8, 0, tzinfo=UTC)
LARGEST_SHARE = 6
"""In an own home the largest session is one part in this many of the whole."""
LONGEST_TAIL = 4 << 20
COMMON = ("the", "file", "test", "error", "value", "change", "list", "path", "build", "module", "index", "line", "tree")
SYLLABLES = ("ka", "lo", "mi", "ten", "ra", "sho", "ve", "qui", "dor", "pan", "us", "el", "gra", "fi", "nu", "zo")
WORDS = (*COMMON, *(a + b + c for a in SYLLABLES for b in SYLLABLES for c in SYLLABLES))
SHARES = list(accumulate(1 / rank for rank in range(1, len(WORDS) + 1)))
"""How often each word is said, summed up: as in any language, a few most of the time and most hardly ever."""


@dataclass(slots=True)
class Home:
    """A home directory with transcripts below .claude/projects."""

    name: str
    path: Path
    origin: str

    @property
    def config(self) -> Path:
        """The directory that Claude Code calls its configuration directory."""
        return self.path / ".claude"

    @property
    def transcripts(self) -> list[Path]:
        """Every transcript, agents' too, the largest last."""
        return sorted((self.config / "projects").rglob("*.jsonl"), key=lambda path: (path.stat().st_size, path))

    @property
    def sessions(self) -> list[Path]:
        """The transcripts of sessions, the largest last."""
        return [path for path in self.transcripts if not path.name.startswith("agent-")]

    @property
    def size(self) -> int:
        """How many bytes its transcripts have."""
        return sum(path.stat().st_size for path in self.transcripts)

    @property
    def patience(self) -> float:
        """How many seconds a program may take to go through all of it."""
        return max(600.0, self.size / 3e5)

    def copy_to(self, path: Path) -> "Home":
        """Copy the home, so that a program may write into it."""
        shutil.copytree(self.config, path / ".claude")
        return Home(self.name, path, self.origin)

    def describe(self) -> str:
        """Say how much it holds."""
        sessions, files = len(self.sessions), len(self.transcripts)
        return f"{sessions:,} sessions in {files:,} files, {self.size / 1e6:,.0f} MB, {self.origin}"


def sized(name: str, cache: Path = CACHE) -> Home:
    """Return the home S, M, L or XL, made once."""
    given = os.environ.get(REUSED)
    if given and (Path(given) / name / "projects").is_dir():
        return _linked(name, Path(given) / name, cache)
    if not GENERATOR.exists():
        home = cache / f"own-{name}"
        _once(home, lambda place: write_own(place / ".claude", SIZES[name]))
        return Home(name, home, "made by bench/corpora.py, for ../shared is not there")
    home = cache / name
    _once(home, lambda place: _generate(name, place / ".claude"))
    return Home(name, home, GENERATED)


def public() -> Home:
    """Return the home of transcripts that nobody here wrote; it may not be there."""
    return Home("public transcripts", PUBLIC, "public transcripts of many versions, from ../shared/corpus/home")


def tiny(sessions: int, cache: Path = CACHE) -> Home:
    """Return a home of many sessions with two records each, made once."""
    home = cache / f"tiny-{sessions}"
    _once(home, lambda place: write_tiny(place / ".claude", sessions))
    return Home(f"{sessions:,} sessions", home, "two records each")


def _linked(name: str, corpus: Path, cache: Path) -> Home:
    home = cache / f"given-{name}"
    home.mkdir(parents=True, exist_ok=True)
    (home / ".claude").unlink(missing_ok=True)
    (home / ".claude").symlink_to(corpus.resolve())
    return Home(name, home, GENERATED)


def _once(home: Path, make: Callable[[Path], None]) -> None:
    """Make a home under another name and rename it when it is whole."""
    if home.is_dir():
        return
    draft = home.with_name(home.name + ".part")
    shutil.rmtree(draft, ignore_errors=True)
    draft.mkdir(parents=True)
    make(draft)
    draft.rename(home)


def _generate(name: str, config: Path) -> None:
    size = f"{SIZES[name] // 1_000_000}MB"
    subprocess.run([sys.executable, GENERATOR, size, config, "-j", "2"], check=True, stdout=subprocess.DEVNULL)


def write_tiny(config: Path, sessions: int) -> None:
    """Write sessions of one question and one answer, spread over 40 projects."""
    chance = random.Random(1)  # noqa: S311 - the same home every time
    for number in range(sessions):
        begun = START + timedelta(minutes=number)
        with _session_file(config, number % 40, chance) as (file, base):
            for record in _exchange(base, begun, f"What is case {number}?", f"It is number {number}.", chance):
                file.write(json.dumps(record) + "\n")
        os.utime(file.name, (begun.timestamp(), begun.timestamp()))


def write_own(config: Path, size: int) -> None:
    """Write sessions of about `size` bytes altogether: questions, answers, calls with results, of uneven length."""
    chance = random.Random(2)  # noqa: S311 - the same home every time
    sizes = [size // LARGEST_SHARE]
    while sum(sizes) < size:
        sizes.append(min(int(chance.lognormvariate(12, 1.5)), size // LARGEST_SHARE))
    for number, wanted in enumerate(sizes):
        begun = START + timedelta(hours=number % 4000)
        last: str | None = None
        with _session_file(config, number % 20, chance) as (file, base):
            while file.tell() < wanted:
                begun += timedelta(minutes=1)
                for record in _worked(base, last, begun, chance):
                    file.write(json.dumps(record) + "\n")
                    last = record["uuid"]
        os.utime(file.name, (begun.timestamp(), begun.timestamp()))


@contextmanager
def _session_file(config: Path, project: int, chance: random.Random) -> Iterator[tuple[TextIO, dict[str, Any]]]:
    """Open a new transcript in one of some projects; with it comes what all its records share."""
    session = str(uuid.UUID(int=chance.getrandbits(128), version=4))
    directory = config / "projects" / f"-home-ann-code-project{project}"
    directory.mkdir(parents=True, exist_ok=True)
    base = {
        "sessionId": session,
        "cwd": f"/home/ann/code/project{project}",
        "version": "2.1.200",
        "gitBranch": "main",
        "isSidechain": False,
        "userType": "external",
    }
    with (directory / f"{session}.jsonl").open("w", encoding="utf-8") as file:
        yield file, base


def _exchange(
    base: dict[str, Any], time: datetime, question: str, answer: str, chance: random.Random
) -> Iterator[dict[str, Any]]:
    asked = _record(base, None, time, {"role": "user", "content": question}, chance)
    yield asked
    yield _answer(base, asked["uuid"], time, [{"type": "text", "text": answer}], chance)


def _worked(base: dict[str, Any], last: str | None, time: datetime, chance: random.Random) -> Iterator[dict[str, Any]]:
    """Yield a question, a call of a tool, its result in the two forms that are stored, and an answer."""
    asked = _record(base, last, time, {"role": "user", "content": _prose(chance, 30)}, chance)
    call = {"type": "tool_use", "id": f"toolu_{_hex(chance, 24)}", "name": "Bash", "input": {"command": "make test"}}
    called = _answer(base, asked["uuid"], time, [call], chance)
    output = _prose(chance, int(chance.lognormvariate(5.5, 1.2)))
    result = {"type": "tool_result", "tool_use_id": call["id"], "content": output}
    message = {"role": "user", "content": [result]}
    answered = _record(base, called["uuid"], time, message, chance)
    answered["toolUseResult"] = {"stdout": output, "stderr": "", "interrupted": False}
    yield from (asked, called, answered)
    yield _answer(base, answered["uuid"], time, [{"type": "text", "text": _prose(chance, 60)}], chance)


def _record(
    base: dict[str, Any], parent: str | None, time: datetime, message: dict[str, Any], chance: random.Random
) -> dict[str, Any]:
    stamp = time.strftime("%Y-%m-%dT%H:%M:%S.000Z")
    own = str(uuid.UUID(int=chance.getrandbits(128), version=4))
    return {"parentUuid": parent, **base, "type": message["role"], "message": message, "uuid": own, "timestamp": stamp}


def _answer(
    base: dict[str, Any], parent: str, time: datetime, blocks: list[dict[str, Any]], chance: random.Random
) -> dict[str, Any]:
    usage = {
        "input_tokens": 7,
        "output_tokens": 50,
        "cache_creation_input_tokens": 900,
        "cache_read_input_tokens": 9000,
    }
    message = {
        "model": "claude-opus-5-5",
        "id": f"msg_{_hex(chance, 24)}",
        "type": "message",
        "role": "assistant",
        "content": blocks,
        "stop_reason": "end_turn",
        "usage": usage,
    }
    record = _record(base, parent, time, message, chance)
    record["requestId"] = f"req_{_hex(chance, 24)}"
    return record


def _prose(chance: random.Random, words: int) -> str:
    return " ".join(chance.choices(WORDS, cum_weights=SHARES, k=words))


def _hex(chance: random.Random, length: int) -> str:
    return f"{chance.getrandbits(4 * length):0{length}x}"


def append_kilobyte(transcript: Path) -> None:
    """Append one record of 1 KB to a transcript, as if its session went on."""
    chance = random.Random(transcript.stat().st_size)  # noqa: S311 - another text and id every time
    text = " ".join(chance.choices(WORDS, k=100))[:600]
    last = _last_record(transcript)
    base = {name: last.get(name) for name in ("sessionId", "cwd", "version", "gitBranch", "isSidechain", "userType")}
    record = _record(base, last.get("uuid"), datetime.now(UTC), {"role": "user", "content": text}, chance)
    with transcript.open("a", encoding="utf-8") as file:
        file.write(json.dumps(record).ljust(1023) + "\n")


def _last_record(transcript: Path) -> dict[str, Any]:
    """Return the last record of a conversation: what comes next hangs on it."""
    with transcript.open("rb") as file:
        file.seek(max(transcript.stat().st_size - LONGEST_TAIL, 0))
        lines = file.read().splitlines()
    for line in reversed(lines):
        if b'"parentUuid"' in line and line.startswith(b"{"):
            record: dict[str, Any] = json.loads(line)
            return record
    return {"sessionId": transcript.stem}
