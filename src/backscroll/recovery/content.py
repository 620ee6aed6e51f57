r"""Content: the state of one file, as the text that Claude Code sees, and as the bytes that were on disk.

The program reads `\r\n` as `\n` and hides byte order marks, so most records do not show how a file was encoded.
A `Form` holds the encoding once a record shows it.  It passes from state to state, as in the program itself.
"""

from typing import NamedTuple

from backscroll.sessions.file_changes.contents import decode_file
from backscroll.sessions.file_changes.edits import Edit

CRLF, LF = "crlf", "lf"


class Form(NamedTuple):
    """The encoding of a text as bytes; None for unknown parts."""

    encoding: str | None = None
    newline: str | None = None
    has_mark: bool | None = None

    def or_else(self, other: "Form") -> "Form":
        """Return this form, with its unknown parts taken from another."""
        return Form(
            other.encoding if self.encoding is None else self.encoding,
            other.newline if self.newline is None else self.newline,
            other.has_mark if self.has_mark is None else self.has_mark,
        )


class Content(NamedTuple):
    """One state: a whole text, bytes that are no text, or some of the lines."""

    text: str | None = None
    """Line ends as `\\n`, without byte order mark."""
    form: Form = Form()
    data: bytes | None = None
    """The exact bytes, if they are known."""
    lines: tuple[str | None, ...] | None = None
    """The lines of a state that is known in part; None for unknown lines."""
    has_end: bool = False
    """True if the last of these lines is the last of the file."""

    def to_bytes(self) -> bytes | None:
        """Return the file's bytes; None if some of them are unknown."""
        if self.data is not None:
            return self.data
        return None if self.text is None else encoded(self.text, self.form)

    def known_bytes(self) -> bytes | None:
        """Return the known bytes, without the gaps between known lines."""
        if self.lines is None:
            return self.to_bytes()
        return encoded("\n".join(line for line in self.lines if line is not None), self.form)


def from_bytes(data: bytes) -> Content:
    """Return the state of a file with these bytes."""
    found = decode_file(data)
    if found is None:
        return Content(data=data)
    text, encoding, is_mended = found
    form = Form(encoding, newline_of(text), text.startswith("\ufeff"))
    return Content(_plain(text), form, None if is_mended else data)


def from_text(text: str, form: Form) -> Content:
    """Return the state of a file with this text; `form` comes from other records."""
    shown = Form(None, newline_of(text) if "\r\n" in text else None, True if text.startswith("\ufeff") else None)
    return Content(_plain(text), shown.or_else(form))


def written(text: str, form: Form, *, expands: bool) -> Content:
    """Return the state after a `Write`: the given text, in older versions with the line ends of the old file."""
    raw = text.replace("\n", "\r\n") if expands else text
    is_wide = form.encoding in ("utf-16-le", "utf-16-be")
    mark = "\ufeff" if is_wide and not raw.startswith("\ufeff") else ""
    return from_bytes(_encode(mark + raw, form.encoding or "utf-8"))


def newline_of(text: str) -> str | None:
    r"""Return the more frequent line end, as the program counts: `\r\n` only if there are more of them."""
    pairs = text.count("\r\n")
    if pairs > text.count("\n") - pairs:
        return CRLF
    return LF if "\n" in text else None


def encoded(text: str, form: Form) -> bytes:
    """Write a text in its form."""
    mark = "\ufeff" if form.has_mark else ""
    lines = text.replace("\n", "\r\n") if form.newline == CRLF else text
    return _encode(mark + lines, form.encoding or "utf-8")


def _encode(text: str, encoding: str) -> bytes:
    try:
        return text.encode(encoding)
    except UnicodeEncodeError:  # half a character: Claude Code writes U+FFFD for it
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode(encoding)


def _plain(text: str) -> str:
    return text.removeprefix("\ufeff").replace("\r\n", "\n")


def with_lines(base: Content | None, first: int, texts: list[str], total: int | None, form: Form) -> Content:
    """Add known lines to a state that is known in part, or begin one with them."""
    known: list[str | None] = list(base.lines) if base is not None and base.lines is not None else []
    last = first - 1 + len(texts)
    known += [None] * (max(last, total or 0) - len(known))
    known[first - 1 : last] = texts
    has_end = total is not None or bool(base is not None and base.has_end)
    if has_end and None not in known:
        return Content("\n".join(line or "" for line in known), form)
    return Content(form=form, lines=tuple(known), has_end=has_end)


def contradicts(content: Content, first: int, texts: list[str], total: int | None) -> bool:
    """Return True if a state cannot be the one that shows these lines."""
    known = list(content.lines) if content.lines is not None else (content.text or "").split("\n")
    is_whole = content.lines is None or content.has_end
    if is_whole and (first - 1 + len(texts) > len(known) or (total is not None and total != len(known))):
        return True
    pairs = zip(known[first - 1 :], texts, strict=False)
    return any(mine is not None and mine.removesuffix("\r") != theirs.removesuffix("\r") for mine, theirs in pairs)


def edited_in_part(content: Content, edits: tuple[Edit, ...]) -> Content | None:
    """Apply edits to a state that is known in part; None if one does not fit exactly once into a known run."""
    for edit in edits:
        changed = _edited_run(content, edit)
        if changed is None:
            return None
        content = changed
    return content


def _edited_run(content: Content, edit: Edit) -> Content | None:
    if not edit.old or edit.everywhere:
        return None
    runs = list(_runs(content.lines or ()))
    found = [(start, end, text) for start, end, text in runs if edit.old in text]
    if len(found) != 1 or found[0][2].count(edit.old) != 1:
        return None
    start, end, text = found[0]
    old = edit.old + "\n" if not edit.new and edit.old + "\n" in text else edit.old
    lines: list[str | None] = list(content.lines or ())
    lines[start:end] = text.replace(old, edit.new, 1).split("\n")
    return content._replace(lines=tuple(lines))


def _runs(lines: tuple[str | None, ...]) -> list[tuple[int, int, str]]:
    """Return the runs of known lines: begin, end and text of each."""
    runs, start = [], None
    for number, line in enumerate((*lines, None)):
        if line is not None and start is None:
            start = number
        elif line is None and start is not None:
            runs.append((start, number, "\n".join(text or "" for text in lines[start:number])))
            start = None
    return runs


def missing_lines(content: Content) -> list[tuple[int, int | None]]:
    """Return the unknown lines, from and to; an unknown end is None."""
    if content.lines is None:
        return []
    gaps: list[tuple[int, int | None]] = []
    start = None
    for number, line in enumerate((*content.lines, ""), 1):
        if line is None and start is None:
            start = number
        elif line is not None and start is not None:
            gaps.append((start, number - 1))
            start = None
    return gaps if content.has_end else [*gaps, (len(content.lines) + 1, None)]
