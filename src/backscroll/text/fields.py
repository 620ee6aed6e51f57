"""The fields of the full-text index: a kind of text each, and what filters and orders the messages.

file and key say what a document is made of, session whose it is, time when it was said; tag holds what filters ask
for, at where the message lies.
"""

from collections.abc import Set as AbstractSet
from functools import lru_cache

import tantivy

from backscroll.sessions.fingerprint import number_of
from backscroll.sessions.texts import ANSWER, CALL, KINDS, THINKING

FILE = "path"
"""The field that holds the paths of files that calls are about."""
OF_CLAUDE = {ANSWER, THINKING, CALL}
"""The kinds of text that Claude wrote; what a message of another holds is of other kinds."""
MIXED = "mixed"
"""The tag of a message that holds both nevertheless: where there is none, both can be counted apart."""
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
    """Say whether fields are of both kinds."""
    return not OF_CLAUDE.isdisjoint(fields) and not (fields <= OF_CLAUDE | {FILE})


@lru_cache(1 << 16)
def session_number(session: str) -> int:
    """Return the number that stands for a session in the index."""
    return number_of(b"session", session)
