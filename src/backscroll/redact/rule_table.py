"""The rule table: rules as data, in TOML.

Input: the table that ships with the package, and the text of a user's table.
Output: frozen `Rule` values whose examples were tried.
This module opens no file but the shipped table.

Fields of a rule:

    name       unique; shown in reports
    family     the group of rules it belongs to
    label      name of its pseudonyms; the rule's name if absent
    literals   one of these strings occurs in every match, at its start
    gate       a short pattern that narrows the literals down, or takes their place
    before     alphabet that may stand between the start of the match and the literal
    not_after  alphabet that may not stand right before the literal
    pattern    RE2 pattern of the whole match
    group      the group that is replaced; 0 is the whole match
    except     RE2 pattern of values that do not belong to the rule
    checks     see `checks.py`; a failed check makes a finding unsure
    matches    at least two examples; `<FAKE*4>` means FAKEFAKEFAKEFAKE
    ignores    at least two counter-examples
"""

import re
import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from itertools import zip_longest
from typing import Any

from backscroll.errors import QueryError
from backscroll.redact.checks import expand_alphabet, make_check
from backscroll.redact.patterns import PatternError, compile_pattern
from backscroll.redact.rules import LONGEST, Rule, match_rule

SHIPPED_TABLE = "rules.toml"
FEWEST_EXAMPLES = 2

_FIELDS = {
    *("name", "family", "label", "literals", "gate", "before", "not_after", "pattern", "group", "except", "checks"),
    *("matches", "ignores", "ignore_case", "inside_words", "whole_values", "longest"),
}


@cache
def shipped_rules() -> tuple[Rule, ...]:
    """Load the table that ships with the package; the tests have tried its examples."""
    return tuple(_load_rule(table, place) for table, place in _tables(shipped_table(), SHIPPED_TABLE))


def shipped_table() -> str:
    """Return the text of the table that ships with the package."""
    return files("backscroll.redact").joinpath(SHIPPED_TABLE).read_text(encoding="utf-8")


def load_rules(text: str, where: str) -> tuple[Rule, ...]:
    """Load a table of rules; raise QueryError with rule and line if one is wrong or fails an example."""
    rules: dict[str, Rule] = {}
    for table, place in _tables(text, where):
        rule = _load_rule(table, place)
        if rule.name in rules:
            raise QueryError(f"Two redaction rules are named {rule.name}", place, "Rename one of them.")
        _try_examples(rule, place)
        rules[rule.name] = rule
    return tuple(rules.values())


def _tables(text: str, where: str) -> Iterable[tuple[Mapping[str, Any], str]]:
    """Return the table of each rule, and its place."""
    try:
        tables = tomllib.loads(text).get("rule", [])
    except tomllib.TOMLDecodeError as error:
        raise QueryError(f"The table of redaction rules is not valid TOML: {error}", where) from None
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise QueryError("The table of redaction rules is wrong", where, "Begin each rule with [[rule]].")
    lines = [number for number, line in enumerate(text.splitlines(), 1) if line.replace(" ", "") == "[[rule]]"]
    pairs = zip_longest(tables, lines[: len(tables)])
    return [(table, where if line is None else f"{where}, line {line}") for table, line in pairs]


def combine_rules(own: tuple[Rule, ...], shipped: tuple[Rule, ...]) -> tuple[Rule, ...]:
    """Put a user's rules before the shipped ones; a rule of the same name replaces the shipped one."""
    names = {rule.name for rule in own}
    return own + tuple(rule for rule in shipped if rule.name not in names)


def _load_rule(table: Mapping[str, Any], where: str) -> Rule:
    name = str(table.get("name", "without a name"))
    try:
        return _make_rule(table)
    except PatternError as error:
        reason = error.args[0] if error.args else "unknown reason"
        shown = reason.decode(errors="replace") if isinstance(reason, bytes) else reason
        raise QueryError(f"RE2 refuses a pattern of the redaction rule {name} ({shown})", where) from None
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise QueryError(f"The redaction rule {name} is incomplete or wrong ({error})", where) from None


def _make_rule(table: Mapping[str, Any]) -> Rule:
    if unknown := sorted(set(table) - _FIELDS):
        raise ValueError(f"unknown field {unknown[0]}")
    ignore_case, exception, gate = bool(table.get("ignore_case")), table.get("except"), table.get("gate")
    if gate is not None:
        compile_pattern(gate)
    rule = Rule(
        name=_checked_name(table["name"]),
        family=_checked_name(table["family"]),
        label=_checked_name(table.get("label", table["name"])),
        pattern=compile_pattern(table["pattern"], ignore_case=ignore_case),
        literals=tuple(table.get("literals", ())),
        gate=gate,
        before=expand_alphabet(table.get("before", "")),
        not_after=expand_alphabet(table.get("not_after", "")),
        group=int(table.get("group", 0)),
        ignore_case=ignore_case,
        inside_words=bool(table.get("inside_words")),
        whole_values=bool(table.get("whole_values")),
        longest=int(table.get("longest", LONGEST)),
        exception=None if exception is None else compile_pattern(exception),
        checks=tuple(map(make_check, table.get("checks", ()))),
        matches=tuple(map(expand_example, table["matches"])),
        ignores=tuple(map(expand_example, table["ignores"])),
    )
    _refuse_impossible(rule)
    return rule


def _checked_name(name: str) -> str:
    if not re.fullmatch("[a-z][a-z0-9]*(-[a-z0-9]+)*", name):
        raise ValueError(f"{name!r} is not a name of small letters, digits and dashes")
    return name


def _refuse_impossible(rule: Rule) -> None:
    if not rule.literals and rule.gate is None:
        raise ValueError("it needs literals or a gate")
    if not all(rule.literals):
        raise ValueError("a literal is empty")
    if not 0 <= rule.group <= rule.pattern.groups:
        raise ValueError(f"its pattern has no group {rule.group}")
    if min(len(rule.matches), len(rule.ignores)) < FEWEST_EXAMPLES:
        raise ValueError(f"it needs {FEWEST_EXAMPLES} examples that match and {FEWEST_EXAMPLES} that do not")


def expand_example(example: str) -> str:
    """Write out an example: `<FAKE*3>` becomes FAKEFAKEFAKE, so that no file holds a token-shaped string."""
    return re.sub(r"<([^<>*]+)\*(\d+)>", lambda found: found[1] * int(found[2]), example)


def _try_examples(rule: Rule, where: str) -> None:
    """Raise QueryError if an example is missed or a counter-example is found."""
    wrong = [("misses its example", number) for number, text in enumerate(rule.matches, 1) if not finds(rule, text)]
    wrong += [("finds its counter-example", number) for number, text in enumerate(rule.ignores, 1) if finds(rule, text)]
    for what, number in wrong:
        raise QueryError(
            f"The redaction rule {rule.name} {what} {number}", where, "Correct the pattern or the example."
        )


def finds(rule: Rule, text: str) -> bool:
    """Return True if a rule alone finds something in a text."""
    literals = "|".join(map(re.escape, sorted(rule.literals, key=len, reverse=True)))
    places = compile_pattern(rule.gate or literals, captures=False, ignore_case=rule.ignore_case)
    data = text.encode()
    return any(match_rule(rule, data, found.span()[0]) for found in places.finditer(data))
