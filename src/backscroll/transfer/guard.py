"""Guards: the steps that stop a plan while a program uses its files."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from backscroll.changes.in_use import desktop_owner, fresh_files, owners
from backscroll.changes.plan import REFUSE, SKIP, PlanStep


@dataclass(slots=True)
class TransferScope:
    """The sessions, files and Desktops that a plan touches."""

    sessions: set[str] = field(default_factory=set)
    sources: list[str] = field(default_factory=list)
    """The files that are copied, moved or changed."""
    desktops: set[Path] = field(default_factory=set)
    """The data directories whose rows or settings change."""


def guards(touched: TransferScope, configs: Iterable[Path], journal: Path, *, force: bool) -> Iterator[PlanStep]:
    """Yield a refusal for everything in use; with `force` only for files that changed just now."""
    for config in configs:
        for session, pid in sorted(owners(config).items()):
            if session in touched.sessions:
                lost = "its later messages would be lost, or written to the old place"
                yield _stop(config / "sessions" / f"{pid}.json", f"process {pid} has {session} open: {lost}", force)
    for data in sorted(touched.desktops):
        if (owner := desktop_owner(data)) is not None:
            who = f"Claude Desktop is running (process {owner})" if owner else "Claude Desktop is running"
            yield _stop(data, f"{who}: it would write its own rows and settings over the change; quit it first", force)
    yield from too_fresh(touched.sources, journal)


def too_fresh(paths: Sequence[str], journal: Path) -> Iterator[PlanStep]:
    """Yield a refusal for each file that changed less than a minute ago."""
    for path in fresh_files(paths, journal):
        yield PlanStep(REFUSE, path, None, "it changed less than 60 seconds ago; wait a minute")


def _stop(place: Path, why: str, force: bool) -> PlanStep:
    if force:
        return PlanStep(SKIP, str(place), None, f"{why} (forced)")
    return PlanStep(REFUSE, str(place), None, f"{why}, or use --force")
