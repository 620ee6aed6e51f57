"""Checks that read transcripts: secrets at rest, and record types that we do not know.

Both are slow, so they read a sample, the newest transcripts, unless the user asks for their kind alone.
"""

from collections import Counter
from collections.abc import Iterator

from backscroll.health.surroundings import CheckResult, Surroundings, counted, named
from backscroll.index.health_facts import transcript_files
from backscroll.inventory.counting import Inventory
from backscroll.inventory.known import known_types
from backscroll.inventory.reading import count_file
from backscroll.inventory.report import Drift, compare
from backscroll.place import Place  # noqa: TC001 - a local annotation, as in every other module
from backscroll.redaction.cleaning import find_in
from backscroll.redaction.user_rules import load_secret_rules
from backscroll.redaction.values import ValueRedactor
from backscroll.sessions.transcript.source import AUDIT
from backscroll.stores.base import FoundFile

SAMPLE = 1 << 20
"""The number of bytes that a sample reads."""
_CHUNK = 1 << 20


def _sample(around: Surroundings) -> Iterator[tuple[str, int, str | None]]:
    """Yield the transcripts to read: all, or the newest up to the size of a sample."""
    left = SAMPLE
    for path, size, session in transcript_files(around.database):
        if around.is_thorough or size <= left:
            left -= size
            yield path, size, session


def _part(around: Surroundings) -> str:
    return "" if around.is_thorough else " in a sample"


def secrets(around: Surroundings) -> Iterator[CheckResult]:
    """Report the number of secrets in transcripts, without any value."""
    redactor = ValueRedactor(None, load_secret_rules(around.own))
    rules: Counter[str] = Counter()
    sessions: dict[str, Place] = {}
    for path, _, session in _sample(around):
        for finding in find_in(redactor, path, _chunks(path, around)):
            if finding.sure:
                rules[finding.rule] += 1
                sessions.setdefault(session or path, finding.place)
    if rules:
        most = ", ".join(f"{rule} {count:,}" for rule, count in rules.most_common(3))
        where = f"transcripts{_part(around)}: {rules.total():,} in {counted(len(sessions), 'session')}"
        text = f"Secrets in {where} ({most})."
        first = next(iter(sessions))
        yield CheckResult("warning", text, sessions[first], f"redact --no-identities {named(first)}")


def _chunks(path: str, around: Surroundings) -> Iterator[bytes]:
    try:
        with around.open_file(path) as file:
            while chunk := file.read(_CHUNK):
                yield chunk
    except OSError:
        return


def drift(around: Surroundings) -> Iterator[CheckResult]:
    """Report that transcripts have record types or fields that we do not know."""
    inventory, report = Inventory(), Drift()
    for path, size, session in _sample(around):
        if not path.startswith(str(around.part)) and not path.endswith(AUDIT):
            count_file(FoundFile(path, "transcript", size, 0, 0, 0, 0, session, None, None, ""), "code", inventory)
    compare(inventory, known_types(), report)
    if report.unknown:
        names = ", ".join(dict.fromkeys(f"{one.type}.{one.field}" if one.field else one.type for one in report.unknown))
        text = f"Record types or fields that we do not know{_part(around)}: {len(report.unknown):,} ({_cut(names)})."
        yield CheckResult("note", text, report.unknown[0].place)


def _cut(text: str) -> str:
    return text if len(text) <= 80 else text[:79] + "…"
