"""The fields of the full-text index: one per kind of text, and fields for filters and order.

`file` and `key` name the unit and the message of a document, `session` its session, `time` its time.
`tag` holds the values for filters, `at` the place of the message.
"""

from collections.abc import Set as AbstractSet
from functools import lru_cache

import tantivy

from backscroll.sessions.searchable.texts import ANSWER, CALL, KINDS, THINKING
from backscroll.sessions.transcript.fingerprint import number_of

FILE = "path"
"""The field that holds the paths of files that calls are about."""
OF_CLAUDE = {ANSWER, THINKING, CALL}
"""The kinds of text that Claude writes; messages of others hold other kinds."""
MIXED = "mixed"
"""The tag of a message that holds both kinds; without one, the two kinds can be counted separately."""
ANALYSER = "words"


def _schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    for name in ("file", "key", "session"):
        builder.add_integer_field(name, indexed=True, fast=True)
    builder.add_integer_field("time", fast=True)
    for name in (*KINDS, FILE):
        builder.add_text_field(name, tokenizer_name=ANALYSER, index_option="position")
    builder.add_text_field("tag", tokenizer_name="raw", index_option="basic")
    builder.add_bytes_field("at", stored=True)
    return builder.build()


SCHEMA = _schema()


def is_mixed(fields: AbstractSet[str]) -> bool:
    """Return True if the fields are of both kinds."""
    return not OF_CLAUDE.isdisjoint(fields) and not (fields <= OF_CLAUDE | {FILE})


@lru_cache(1 << 16)
def session_number(session: str) -> int:
    """Return the number of a session in the index."""
    return number_of(b"session", session)
