"""Pages and secrets: a site of everything beside two other programs, and the search for secrets beside two finders.

The contents of the pages are compared, not only their size: texts are drawn from the transcripts, by kind, and looked
up in the text of all pages.
"""

import html
import json
import random
import re
import shutil
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path

from corpora import Home, public
from lab import Case, Lab, Section
from measure import Figure
from texts import records, texts
from theirs import size_of

KINDS = {"text": "prompts, answers", "call": "calls", "result": "results", "thinking": "thinking"}
PAGES = ("program", "CPU", "wall", "peak memory", "MB", *KINDS.values(), "runs", "CPU to ours", "command", "note")
SECRETS = ("program", "CPU", "wall", "MB/s", "peak memory", "findings", "runs", "CPU to ours", "command", "note")
PROBES = 300
PLAIN = re.compile("[A-Za-z0-9]+(?: [A-Za-z0-9]+){2,8}")
"""Words between single blanks: no program writes them in another way."""
TAGS = re.compile(r"<(?:script|style)\b.*?</(?:script|style)>|<[^>]*>", re.DOTALL)
ENGINE = """
import json, sys, time
from pathlib import Path
from backscroll.redact.engine import RuleEngine
from backscroll.redact.rule_table import shipped_rules
engine, data = RuleEngine(shipped_rules()), Path(sys.argv[1]).read_bytes()
windows = [data[place : place + (1 << 20)] for place in range(0, len(data), 1 << 20)]
def spent():
    cpu, wall = time.process_time(), time.perf_counter()
    for window in windows:
        engine.find(window)
    return time.process_time() - cpu, time.perf_counter() - wall
print(json.dumps([spent() for _ in range(int(sys.argv[2]))]))
"""


def _real(lab: Lab) -> Home:
    """Return a copy of the transcripts that nobody here wrote; where they are absent, a generated home."""
    return lab.home("public", public) if public().path.exists() and not lab.is_quick else lab.sized("S")


# Pages


def pages(lab: Lab) -> Section:
    """Write a site of everything, each program from nothing."""
    home, task = _real(lab), "a site of everything"
    probes = drawn(home)
    cases = [
        _site(lab, home, task, "export --dir DIR"),
        _site(lab, home, task, "export --dir DIR --redact"),
        *_code_log(lab, home, task),
        *_code_transcripts(lab, home, task),
    ]
    for case in cases:
        case.facts = _contents(_place(lab, case.how), probes)
    text = (
        f"{home.describe()}.\nEach program starts from nothing; ours makes its index too, which the search needs.\n"
        "Texts were drawn from the transcripts; for each kind the table tells how many of them the pages hold."
    )
    return Section("Pages of everything", text, cases, PAGES)


def _place(lab: Lab, how: str) -> Path:
    """Return the directory that a command writes into; the command makes it."""
    (lab.scratch / "pages").mkdir(exist_ok=True)
    return lab.scratch / "pages" / re.sub("[^a-z]+", "-", how)


def _site(lab: Lab, home: Home, task: str, words: str) -> Case:
    place = _place(lab, f"backscroll {words}")
    case = lab.cold(task, home, words.replace("DIR", str(place)), 2)
    case.how, case.timeout = f"backscroll {words}", home.patience

    def clean() -> None:
        lab.forget()
        shutil.rmtree(place, ignore_errors=True)

    case.before = clean
    case.note = "without secrets" if "--redact" in words else "with a search over all sessions"
    return case


def _code_log(lab: Lab, home: Home, task: str) -> Iterator[Case]:
    """Yield claude-code-log with a page for each session; it writes a cache beside the transcripts, so into a copy."""
    if lab.has("claude-code-log"):
        words, copy = "--all-projects --combined no -o DIR", lab.scratch / "log"
        place = _place(lab, f"claude-code-log {words}")
        given = words.replace("DIR", str(place)).split()
        command = [lab.peers["claude-code-log"].program, "--projects-dir", copy / ".claude" / "projects", *given]
        case = Case(task, "claude-code-log", f"claude-code-log {words}", command, copy, 1, timeout=home.patience)

        def clean() -> None:
            shutil.rmtree(place, ignore_errors=True)
            shutil.rmtree(copy, ignore_errors=True)
            home.copy_to(copy)

        case.before = clean
        yield case


def _code_transcripts(lab: Lab, home: Home, task: str) -> Iterator[Case]:
    if lab.has("claude-code-transcripts"):
        words = "all --include-agents -o DIR"
        place = _place(lab, f"claude-code-transcripts {words}")
        command = [lab.peers["claude-code-transcripts"].program, *words.replace("DIR", str(place)).split()]
        case = Case(task, "claude-code-transcripts", f"claude-code-transcripts {words}", command, home.path, 2)
        case.before = lambda: shutil.rmtree(place, ignore_errors=True)
        case.timeout = home.patience
        yield case


def drawn(home: Home) -> dict[str, list[str]]:
    """Return some words in a row from texts of each kind, the same every time."""
    found: dict[str, set[str]] = defaultdict(set)
    for record in records(home.transcripts):
        for kind, text in texts(record):
            longest = max(PLAIN.findall(text[:2000]), key=len, default="")
            if len(longest) >= 20:
                found[kind].add(longest)
    chance = random.Random(21)  # noqa: S311 - the same texts every time
    return {kind: chance.sample(sorted(found[kind]), min(PROBES, len(found[kind]))) for kind in KINDS}


def _contents(place: Path, probes: dict[str, list[str]]) -> Callable[[str, Figure], dict[str, float | str]]:
    def tell(_output: str, _figure: Figure) -> dict[str, float | str]:
        said = " ".join(visible(path.read_text(encoding="utf-8", errors="replace")) for path in place.rglob("*.html"))
        shares = {KINDS[kind]: _share(texts, said) for kind, texts in probes.items()}
        return {"MB": size_of(place) / 1e6, **shares}

    return tell


def visible(page: str) -> str:
    """Return the text of a page, with single blanks."""
    return " ".join(html.unescape(TAGS.sub("", page)).split())


def _share(wanted: list[str], said: str) -> str:
    return f"{sum(text in said for text in wanted) / len(wanted):.0%}" if wanted else ""


# Secrets


def secrets(lab: Lab) -> Section:
    """Look for secrets in all transcripts, and measure the engine alone."""
    home, task = _real(lab), "secrets in all transcripts"
    copies, joined = lab.scratch / "transcripts", lab.scratch / "joined.jsonl"
    _copy_transcripts(home, copies, joined)
    size = joined.stat().st_size / 1e6
    words = "redact FILE --no-identities --json"
    ours = lab.ours(task, home, words.replace("FILE", str(joined)), 3)
    ours.how, ours.setup = f"backscroll {words}", lambda: None
    engine = lab.script("the rule table alone", "RuleEngine.find, in a running Python", ENGINE, [joined, 3], 1)
    ours.facts = _found
    cases = [ours, *_detect_secrets(lab, copies, task), *_kingfisher(lab, copies, task), engine]
    for case in cases:
        case.facts = _rate(size, case.facts)
    text = (
        f"{home.describe()}; the same bytes for all, in one file for us, in a file for each session for the others.\n"
        "Only we look for passwords and tokens in base64, in JSON within JSON and across lines.\n"
        "The rule table alone is one pass over the text as it is.\n"
        "Who finds which secrets is in [redaction](redaction.md#beside-other-tools)."
    )
    return Section("Secrets", text, cases, SECRETS)


def _copy_transcripts(home: Home, copies: Path, joined: Path) -> None:
    """Copy the transcripts to a place that nobody hides: kingfisher passes over names that begin with a dot."""
    shutil.rmtree(copies, ignore_errors=True)
    copies.mkdir()
    with joined.open("wb") as whole:
        for number, path in enumerate(home.transcripts):
            data = path.read_bytes()
            (copies / f"{number}.jsonl").write_bytes(data)
            whole.write(data if data.endswith(b"\n") else data + b"\n")


def _detect_secrets(lab: Lab, place: Path, task: str) -> Iterator[Case]:
    if lab.has("detect-secrets"):
        program = lab.peers["detect-secrets"].program.with_name("detect-secrets")
        command = ["/bin/sh", "-c", 'cd "$1" && exec "$0" scan --all-files .', program, place]
        case = Case(task, "detect-secrets", "detect-secrets scan --all-files .", command, lab.scratch / "empty", 1)
        case.facts, case.timeout = _detected, 600
        yield case


def _kingfisher(lab: Lab, place: Path, task: str) -> Iterator[Case]:
    """Yield kingfisher, whose exit code tells of findings; its first run compiles its rules."""
    if lab.has("kingfisher"):
        words = "scan --no-validate --no-update-check --format jsonl"
        command = ["/bin/sh", "-c", f'"$0" {words} "$1" || true', lab.peers["kingfisher"].program, place]
        case = Case(task, "kingfisher", f"kingfisher {words} DIR", command, lab.scratch / "empty", 3)
        case.facts, case.timeout = _caught, 600
        yield case


def _rate(
    size: float, facts: Callable[[str, Figure], dict[str, float | str]] | None
) -> Callable[..., dict[str, float | str]]:
    def tell(output: str, figure: Figure) -> dict[str, float | str]:
        return {"MB/s": size / figure.cpu, **(facts(output, figure) if facts else {})}

    return tell


def _found(output: str, _: Figure) -> dict[str, float | str]:
    return {"findings": len(json.loads(output)["findings"])}


def _detected(output: str, _: Figure) -> dict[str, float | str]:
    return {"findings": sum(map(len, json.loads(output)["results"].values()))}


def _caught(output: str, _: Figure) -> dict[str, float | str]:
    return {"findings": sum(line.startswith("{") and "finding" in json.loads(line) for line in output.splitlines())}
