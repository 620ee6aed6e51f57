"""Remains: sessions that histories, lists and side files still name, and whose transcripts are gone.

A prompt, a list, kept file versions or results of tools prove a session.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from backscroll.index.db import Connection
from backscroll.index.health_facts import files_beside, known_names, paths_of_files
from backscroll.place import Place
from backscroll.safe_text import one_line
from backscroll.stores.code import uuid_pattern
from backscroll.stores.side import HistoryPrompt, history, is_bare_command, read_object
from backscroll.times import parse

_LONGEST = 60
_PROOFS = {"file-history": "kept versions of files", "tool-result": "results of tools"}


@dataclass(slots=True)
class Loss:
    """The remains of a session whose transcript is gone."""

    session: str
    place: Place
    source: str
    """The sentence that names the evidence."""
    prompts: int = 0
    first: str | None = None
    """The first prompt that survives."""
    last: datetime | None = None

    @property
    def text(self) -> str:
        """The text of the finding."""
        if not self.prompts:
            return f"The transcript of this session is gone. {self.source}"
        known = "1 prompt survives" if self.prompts == 1 else f"{self.prompts:,} prompts survive, the first"
        return f"The transcript of this session is gone; {known}: {_cut(self.first or '')}"


def _cut(text: str) -> str:
    line = one_line(text)
    return f"“{line if len(line) <= _LONGEST else line[: _LONGEST - 1] + '…'}”."


def find_losses(database: Connection) -> list[Loss]:
    """Return every lost session, each once, by the best evidence."""
    known = known_names(database)
    found: dict[str, Loss] = {}
    for loss in (*_in_histories(database), *_in_lists(database), *_in_side_files(database)):
        if loss.session not in known:
            found.setdefault(loss.session, loss)
    return list(found.values())


def _in_histories(database: Connection) -> Iterable[Loss]:
    found: dict[str, Loss] = {}
    for path in paths_of_files(database, kind="history"):
        for item in history(path):
            if not isinstance(item, HistoryPrompt) or not item.session or is_bare_command(item.text):
                continue  # bare commands leave no transcript
            loss = found.setdefault(item.session, Loss(item.session, item.place, "", 0, item.text))
            loss.prompts += 1
            loss.last = max(filter(None, (loss.last, item.time)), default=None)
    return found.values()


def _in_lists(database: Connection) -> Iterator[Loss]:
    for path in paths_of_files(database, kind="project-index"):
        entries = read_object(path, None).get("entries")
        for entry in entries if isinstance(entries, list) else ():
            if isinstance(entry, dict) and isinstance(entry.get("sessionId"), str):
                first, count = entry.get("firstPrompt"), entry.get("messageCount")
                had = f", with {count:,} messages" if type(count) is int else ""
                loss = Loss(entry["sessionId"], Place(path), f"A list of Claude Code still names it{had}.")
                if isinstance(first, str) and first and first != "No prompt":
                    loss.prompts, loss.first = 1, first
                loss.last = parse(entry.get("modified"))
                yield loss


def _in_side_files(database: Connection) -> Iterator[Loss]:
    for session, kind, path, count in files_beside(database):
        if kind in _PROOFS and uuid_pattern().fullmatch(session):
            yield Loss(session, Place(path), f"Still there: {_PROOFS[kind]} ({count:,}).")
