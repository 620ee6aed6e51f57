"""Redaction of the library's values: the identities that a root names, and values without secrets.

`redact/` finds and replaces; this package knows the sessions, messages and accounts to which that is applied.
"""

from backscroll.redaction.identities import known_identities
from backscroll.redaction.user_rules import load_user_rules
from backscroll.redaction.values import ValueRedactor

__all__ = ["ValueRedactor", "known_identities", "load_user_rules"]
