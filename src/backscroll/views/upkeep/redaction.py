"""Findings of secrets for people and scripts: rule, place and a masked sample, never the value."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from backscroll.redact.rules import Rule
from backscroll.redaction.cleaning import ByteCount, SecretFinding
from backscroll.safe_text import one_line
from backscroll.views.figures import cut_path, tilde
from backscroll.views.json.sessions import dumps, object_of
from backscroll.views.terminal.paper import Line, Paper, Span, cut, word
from backscroll.views.terminal.table import Column, table

MOST_OF_A_RULE = 5


def findings_document(found: Iterable[SecretFinding], read: ByteCount) -> Iterator[str]:
    """Yield the answer of `redact` as JSON, as it is read."""
    yield '{"findings": ['
    count = 0
    for count, one in enumerate(found, 1):
        yield ("" if count == 1 else ",\n") + dumps(object_of(one))
    yield f'],\n"redactions": {count}, "bytes": {read.bytes}}}\n'


def clean_document(file: str, redactions: Mapping[str, int], read: ByteCount, size: int) -> Iterator[str]:
    """Yield the answer of `redact --clean` as JSON."""
    told = {"file": file, "findings": [], "redactions": sum(redactions.values()), "bytes": read.bytes, "written": size}
    yield dumps(told | {"rules": dict(redactions)}) + "\n"


def findings_report(found: Iterable[SecretFinding], paper: Paper) -> Iterator[Line]:
    """Yield the first findings of each rule, and then the number of all."""
    counts: Counter[str] = Counter()
    for one in found:
        counts[one.rule] += 1
        if counts[one.rule] <= MOST_OF_A_RULE:
            doubt = "" if one.sure else "  (not sure)"
            place = one_line(f"{tilde(one.place.path, paper)}:{one.place.line}")
            sample = word(one.sample + doubt)
            if paper.width is not None:
                room = paper.width - len(one.rule) - paper.measure(sample.text) - 4
                place = cut_path(place, max(room, 12), paper)
            yield cut([Span(one.rule, "title"), Span("  "), Span(place), Span("  "), sample], paper)
    yield from _counts(counts, paper)


def clean_report(file: str, redactions: Mapping[str, int], paper: Paper) -> Iterator[Line]:
    """Yield the number of redactions by rule, and the file that was written."""
    yield from _counts(redactions, paper)
    yield [Span("Written: "), word(file)]


def rules_document(rules: Sequence[Rule]) -> Iterator[str]:
    """Yield the answer of `redact --rules` as JSON."""
    yield dumps({"rules": [{"name": one.name, "family": one.family, "label": one.label} for one in rules]}) + "\n"


def rules_report(rules: Sequence[Rule], paper: Paper) -> Iterator[Line]:
    """Yield the rules as a table."""
    rows = [[Span(one.name, "title"), Span(one.family), Span(f"⟨{one.label}-1⟩")] for one in rules]
    yield from table([Column("rule"), Column("family", most=14), Column("pseudonym", most=32)], rows, paper)


def _counts(counts: Mapping[str, int], paper: Paper) -> Iterator[Line]:
    if not counts:
        yield [Span("Nothing found.")]
        return
    ordered = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    rows = [[Span(name, "title"), Span(f"{count:,}")] for name, count in ordered]
    yield []
    yield from table([Column("rule"), Column("found", most=9, right=True)], rows, paper)
