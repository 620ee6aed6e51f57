"""Redaction: find secrets and identities, and replace them by pseudonyms.

This package knows neither files nor sessions.  The path of the data:

    rule_table          the rules, loaded from rules.toml
    identities          rules for values that the caller knows
    engine              rules over bytes
    forms, detector     the same in JSON, URLs, base64, coloured and wrapped text
    redactor            pseudonyms in place of each finding
    structure           the same for JSON values, by lists of allowed fields
    stream, scan        input of any size; reports
"""

from backscroll.redact.detector import Detector
from backscroll.redact.fields import FieldList, FieldLists, shipped_fields
from backscroll.redact.findings import Finding
from backscroll.redact.identities import KnownIdentities
from backscroll.redact.pseudonyms import Pseudonyms
from backscroll.redact.redactor import NamedText, Redactor
from backscroll.redact.rule_table import combine_rules, load_rules, shipped_rules
from backscroll.redact.rules import Rule
from backscroll.redact.stream import redact_chunks, scan_bytes, scan_chunks
from backscroll.redact.structure import StructureRedactor

__all__ = [
    "Detector",
    "FieldList",
    "FieldLists",
    "Finding",
    "KnownIdentities",
    "NamedText",
    "Pseudonyms",
    "Redactor",
    "Rule",
    "StructureRedactor",
    "combine_rules",
    "load_rules",
    "redact_chunks",
    "scan_bytes",
    "scan_chunks",
    "shipped_fields",
    "shipped_rules",
]
