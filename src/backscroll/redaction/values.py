"""Values without secrets: sessions, messages, calls and hits, before any view sees them.

Input: values of the library.  Output: copies with a pseudonym in place of each secret and identity.
One redactor serves one answer: the same secret has the same pseudonym in all that it redacts.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TypeVar

from backscroll.query.hits import Found, Hit
from backscroll.redact import (
    Finding,
    KnownIdentities,
    Redactor,
    Rule,
    StructureRedactor,
    redact_chunks,
    scan_bytes,
    scan_chunks,
)
from backscroll.redact.structure import without_cut_word
from backscroll.sessions.message import Message, Part
from backscroll.sessions.model import Branch, Transcript
from backscroll.sessions.page import MessagePage
from backscroll.sessions.reading.reader import LABEL_LENGTH

_Value = TypeVar("_Value")


class ValueRedactor:
    """Redact values of the library, with the same pseudonyms throughout.

    `also` names fields that otherwise never go out, such as `systemPrompt`.
    """

    def __init__(
        self,
        known: KnownIdentities | None = None,
        rules: Sequence[Rule] | None = None,
        also: Iterable[str] = (),
        redactor: Redactor | None = None,
    ) -> None:
        self._redactor = redactor or Redactor(rules, known)
        self._also = frozenset(also)
        self._structure = StructureRedactor(self._redactor, self._also)

    def renewed(self) -> "ValueRedactor":
        """Return a redactor of the same rules and identities that has given no pseudonym yet."""
        return ValueRedactor(also=self._also, redactor=self._redactor.renewed())

    @property
    def redactions(self) -> Counter[str]:
        """The number of redactions so far, by rule."""
        return self._redactor.redactions

    def text(self, text: str) -> str:
        """Return a text without secrets."""
        return self._redactor.redact_text(text)

    def data(self, data: bytes) -> bytes:
        """Return bytes without secrets."""
        return self._redactor.redact_bytes(data)

    def chunks(self, chunks: Iterable[bytes]) -> Iterator[bytes]:
        """Yield a stream of bytes without secrets; memory stays flat."""
        return redact_chunks(self._redactor, chunks)

    def line(self, line: bytes) -> bytes:
        """Return a line of a transcript: the same record with allowed fields, the same ids, and no secrets."""
        return self._structure.redact_line(line)

    def value(self, value: _Value) -> _Value:
        """Return a session, call or other value of the library; any dataclass or JSON value."""
        return self._structure.redact_value(value)

    def message(self, message: Message) -> Message:
        """Return a message; a secret may begin in one of its parts and end in another."""
        parts = [self._with_allowed(part, message.role) for part in message.parts]
        return self._structure.redact_value(replace(message, parts=parts))

    def messages(self, messages: Iterable[Message]) -> Iterator[Message]:
        """Yield messages as they are read."""
        return map(self.message, messages)

    def transcript(self, transcript: Transcript) -> Transcript:
        """Return a transcript whose messages are redacted as they are read."""
        return Transcript(
            session=self.value(transcript.session),
            branches=self.value([_without_cut_label(branch) for branch in transcript.branches]),
            messages=self.messages(transcript.messages),
            damage=self.value(transcript.damage),
            notes=self.value(transcript.notes),
        )

    def page(self, page: MessagePage) -> MessagePage:
        """Return a page of messages."""
        messages = list(self.messages(page.messages))
        return replace(
            page,
            session=self.value(page.session),
            messages=messages,
            damage=self.value(page.damage),
            agents=self.value(page.agents),
        )

    def found(self, found: Found) -> Found:
        """Return the answer of a search whose snippets were cut from redacted texts."""
        return replace(
            found,
            query=self.text(found.query),
            suggestions=self.value(found.suggestions),
            hits=list(map(self._hit, found.hits)),
        )

    def _hit(self, hit: Hit) -> Hit:
        """Return a hit; its snippet stays, because its marks count characters of it."""
        before, after = list(self.messages(hit.before)), list(self.messages(hit.after))
        rest = self.value(replace(hit, before=[], after=[]))
        return replace(rest, snippet=hit.snippet, before=before, after=after)

    def scan(self, text: str | bytes) -> list[Finding]:
        """Return the findings in finished output, in all forms; pseudonyms are no findings."""
        data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
        return scan_bytes(self._redactor.detector, data)

    def scan_chunks(self, chunks: Iterable[bytes]) -> Iterator[Finding]:
        """Yield the findings in finished output of any size."""
        return scan_chunks(self._redactor.detector, chunks)

    def _with_allowed(self, part: Part, role: str) -> Part:
        """Return a part whose stored record or attachment has its allowed fields only."""
        raw = part.data.get("raw")
        if part.kind != "other" or role != "system" or not isinstance(raw, dict):
            return part
        kind = part.data.get("type")
        is_record = kind == "system" or raw.get("type") != kind
        allowed = self._structure.allowed_fields(raw, "record" if is_record else "attachment")
        return replace(part, data={**part.data, "raw": allowed})


def _without_cut_label(branch: Branch) -> Branch:
    """Return a branch whose label ends with a whole word."""
    return replace(branch, label=without_cut_word(branch.label, LABEL_LENGTH))
