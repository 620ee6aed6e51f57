"""Find secrets in sessions, files and streams, and write clean copies."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from backscroll import dirs
from backscroll.errors import RefusedError
from backscroll.files import create_from_pieces
from backscroll.lazy import lazily
from backscroll.verbs.sessions import SessionVerbs

if TYPE_CHECKING:
    from backscroll import redact
    from backscroll.index.queries import details
    from backscroll.redaction import cleaning, user_rules, values
    from backscroll.sessions.reading import reader
else:
    redact = lazily("backscroll.redact")
    details = lazily("backscroll.index.queries.details")
    cleaning = lazily("backscroll.redaction.cleaning")
    user_rules = lazily("backscroll.redaction.user_rules")
    values = lazily("backscroll.redaction.values")
    reader = lazily("backscroll.sessions.reading.reader")


class RedactionVerbs(SessionVerbs):
    """The verbs that find secrets, and write copies without them."""

    def find_secrets(
        self,
        session: str,
        chunks: Iterable[bytes] | None = None,
        *,
        identities: bool = True,
        read: cleaning.ByteCount | None = None,
    ) -> Iterator[cleaning.SecretFinding]:
        """Yield the secrets and identities in a session's transcripts, or in a stream of bytes called `session`.

        No finding holds the value.  Without `identities` names, homes and addresses are left out.
        `read` counts the bytes that were read.
        """
        redactor = self._redactor(identities=identities)
        sources = self._transcripts(session) if chunks is None else [(session, chunks)]
        count = read or cleaning.ByteCount()
        for name, stream in sources:
            yield from cleaning.find_in(redactor, name, count.counted(stream))

    def write_clean(
        self,
        session: str,
        output: Path,
        chunks: Iterable[bytes] | None = None,
        *,
        read: cleaning.ByteCount | None = None,
    ) -> dict[str, int]:
        """Write a session's transcripts, or a stream, without secrets into a new file; return redactions by rule.

        It refuses an existing file, and any place inside Claude's directories.
        """
        self._refuse_claudes_directories(output)
        redactor = self.redactor()
        sources = self._transcripts(session) if chunks is None else [(session, chunks)]
        count = read or cleaning.ByteCount()
        streams = (count.counted(stream) for _, stream in sources)
        create_from_pieces(output, (piece for stream in streams for piece in cleaning.clean(redactor, stream)))
        return dict(redactor.redactions)

    def redaction_rules(self) -> tuple[redact.Rule, ...]:
        """Return the rules in use: those of the user, then those that ship with backscroll."""
        return user_rules.load_user_rules(dirs.home(self._env))

    def _redactor(self, *, identities: bool) -> values.ValueRedactor:
        if identities:
            return self.redactor()
        return values.ValueRedactor(None, user_rules.load_secret_rules(dirs.home(self._env)))

    def _transcripts(self, session: str) -> Iterator[tuple[str, Iterator[bytes]]]:
        """Yield the path of each transcript of a session, with its stored lines."""
        with self.session(session) as (database, name):
            paths = details.files_of(database, name).transcripts
        for path in paths:
            yield path, reader.stored_lines([path], self.open_file())

    def _refuse_claudes_directories(self, output: Path) -> None:
        place = output.absolute().parent.resolve()
        for store in self.stores():
            if place.is_relative_to(Path(store.path).resolve()):
                raise RefusedError("this is a directory of Claude's", str(output), "Choose a place outside of it.")
