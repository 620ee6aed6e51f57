"""The redactor: texts without secrets.

Input: bytes, a text, or several texts that belong together.
Output: the same with each secret and identity replaced by its pseudonym.
Redacting the output again changes nothing: the redactor repeats itself until it finds nothing more.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from backscroll.redact.detector import Detector
from backscroll.redact.identities import KnownIdentities, combine_with_identities
from backscroll.redact.pseudonyms import Pseudonyms, has_pseudonym
from backscroll.redact.rule_table import shipped_rules
from backscroll.redact.rules import Rule, Sighting

MOST_ROUNDS = 8
LONGEST_WHOLE_VALUE = 4096
SEPARATOR = b"\n\x00\n"


@dataclass(frozen=True, slots=True)
class NamedText:
    """A text, the field that holds it if there is one, and True if it is a piece of a longer message."""

    text: str = field(repr=False)
    field_name: str = ""
    is_part: bool = False


class Redactor:
    """Replace secrets and identities by pseudonyms; count the redactions by rule."""

    def __init__(
        self,
        rules: Sequence[Rule] | None = None,
        known: KnownIdentities | None = None,
        detector: Detector | None = None,
    ) -> None:
        known = known or KnownIdentities()
        chosen = shipped_rules() if rules is None else tuple(rules)
        self.detector = detector or Detector(combine_with_identities(chosen, known))
        self.redactions: Counter[str] = Counter()
        self._known = known
        self._pseudonyms = Pseudonyms(known)

    def renewed(self) -> "Redactor":
        """Return a redactor that finds the same and has given no pseudonym yet; compiled rules are shared."""
        return Redactor(None, self._known, self.detector)

    def redact_text(self, text: str) -> str:
        """Return a text without secrets."""
        return self.redact_bytes(encode(text)).decode("utf-8", "surrogatepass")

    def redact_bytes(self, data: bytes) -> bytes:
        """Return bytes without secrets."""
        for _ in range(MOST_ROUNDS):
            found = self.detector.find(data)
            if not found:
                break
            data = self.replace(data, found)
        return data

    def redact_parts(self, texts: Sequence[str]) -> list[str]:
        """Return the parts of a message without secrets; a secret may begin in one part and end in another."""
        return self.redact_texts([NamedText(text, is_part=True) for text in texts])

    def redact_texts(self, texts: Sequence[NamedText]) -> list[str]:
        """Return texts without secrets; the detector reads all of them in one go."""
        result = [encode(one.text) for one in texts]
        waiting = list(range(len(texts)))
        for _ in range(MOST_ROUNDS):
            found = self._find_in_texts([(texts[place], result[place]) for place in waiting])
            waiting = [place for place, sightings in zip(waiting, found, strict=True) if sightings]
            for place, sightings in zip(waiting, filter(None, found), strict=True):
                result[place] = self.replace(result[place], sightings)
            if not waiting:
                break
        return [data.decode("utf-8", "surrogatepass") for data in result]

    def replace(self, data: bytes, sightings: Iterable[Sighting]) -> bytes:
        """Return `data` with a pseudonym in place of each sighting."""
        if has_pseudonym(data):
            self._pseudonyms.reserve(data)
        pieces: list[bytes] = []
        last = 0
        for one in sightings:
            pieces += (data[last : one.start], self._pseudonyms.name(one.rule.label, one.value).encode())
            last = one.end
            self.redactions[one.rule.name] += 1
        return b"".join((*pieces, data[last:]))

    def _find_in_texts(self, texts: Sequence[tuple[NamedText, bytes]]) -> list[list[Sighting]]:
        """Return the sightings in each text, with offsets of that text."""
        buffer, starts = _join(texts)
        found = _distribute(
            self.detector.find(buffer), [(start, data) for start, (_, data) in zip(starts, texts, strict=True)]
        )
        parts = [place for place, (text, _) in enumerate(texts) if text.is_part]
        if len(parts) > 1:
            self._add_across(texts, parts, found)
        return found

    def _add_across(
        self, texts: Sequence[tuple[NamedText, bytes]], parts: list[int], found: list[list[Sighting]]
    ) -> None:
        """Add the sightings that begin in one part of a message and end in another."""
        data = [texts[place][1] for place in parts]
        starts = _starts(data)
        across = self.detector.find_across(data)
        for place, added in zip(parts, _distribute(across, list(zip(starts, data, strict=True))), strict=True):
            if added:
                found[place] = self.detector.merge([*found[place], *added])


def encode(text: str) -> bytes:
    """Return a text as UTF-8; keep half a surrogate pair, because JSON may hold one."""
    return text.encode("utf-8", "surrogatepass")


def _starts(pieces: Sequence[bytes]) -> list[int]:
    starts, length = [], 0
    for piece in pieces:
        starts.append(length)
        length += len(piece)
    return starts


def _join(texts: Sequence[tuple[NamedText, bytes]]) -> tuple[bytes, list[int]]:
    """Return all texts in one buffer, each with its field's name as context, and the offset of each."""
    pieces: list[bytes] = []
    starts, length = [], 0
    for text, data in texts:
        before = b'"%s": "' % encode(text.field_name) if text.field_name else b""
        starts.append(length + len(before))
        pieces += (before, data, b'"' if before else b"", SEPARATOR)
        length += len(before) + len(data) + bool(before) + len(SEPARATOR)
    return b"".join(pieces), starts


def _distribute(sightings: Sequence[Sighting], texts: Sequence[tuple[int, bytes]]) -> list[list[Sighting]]:
    """Return the sightings of each text; a sighting that crosses texts is cut at their ends."""
    result: list[list[Sighting]] = [[] for _ in texts]
    place = 0
    for one in sightings:
        while place < len(texts) and texts[place][0] + len(texts[place][1]) <= one.start:
            place += 1
        for here in range(place, len(texts)):
            start, data = texts[here]
            if start >= one.end:
                break
            result[here] += _within(one, start, data)
    return result


def _within(sighting: Sighting, start: int, data: bytes) -> Iterator[Sighting]:
    """Yield the part of a sighting in the text at `start`."""
    first, last = max(0, sighting.start - start), min(len(data), sighting.end - start)
    if first >= last:
        return
    if sighting.rule.whole_values and first == 0 and len(data) <= LONGEST_WHOLE_VALUE and not has_pseudonym(data):
        yield replace(sighting, start=0, end=len(data), value=data)
    else:
        yield replace(sighting, start=first, end=last)
