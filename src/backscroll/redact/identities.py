"""Known identities: the people and machines that the caller knows by name.

Input: plain values, such as the home directory and the e-mail of the account.
Output: rules that find these values anywhere, and the pseudonym that each value gets.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from backscroll.redact.patterns import compile_pattern
from backscroll.redact.rules import Rule

OPENING, CLOSING = "⟨", "⟩"
SHORTEST_NAME = 3
ORDINARY_NAME = re.compile(
    "admin|administrator|anonymous|app|build|ci|claude|code|daemon|default|dev|docker|git|guest|home|host|local"
    "|localhost|main|me|name|node|nobody|null|public|root|runner|server|shared|sudo|system|test|tester|ubuntu|user"
    "|username|users|vagrant|work|www|you",
    re.IGNORECASE,
)
"""Names that are ordinary words: a text is full of them, and they identify nobody."""


@dataclass(frozen=True, slots=True)
class KnownIdentities:
    """Values that identify the owner of the sessions; each becomes a pseudonym such as ⟨user⟩."""

    homes: tuple[str, ...] = ()
    users: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    emails: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    accounts: tuple[str, ...] = ()

    def spellings(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Yield label and spellings of each value; the spellings of one value share a pseudonym."""
        yield from (("home", _home_spellings(home)) for home in self.homes)
        yield from (("email", (email,)) for email in self.emails)
        yield from (("account", (account,)) for account in self.accounts)
        yield from (("name", (name,)) for name in self.names)
        yield from (("host", (host,)) for host in self.hosts)
        yield from (("user", (user,)) for user in self.users)


def combine_with_identities(rules: tuple[Rule, ...], known: KnownIdentities) -> tuple[Rule, ...]:
    """Put homes, e-mails and accounts before the rules, and the shorter names behind them."""
    numbers: Counter[str] = Counter()
    made: list[Rule] = []
    for label, spellings in known.spellings():
        numbers[label] += 1
        made += _make_rules(pseudonym(label, numbers[label]), label, spellings)
    first = [rule for rule in made if rule.label in {"home", "email", "account"}]
    return (*first, *rules, *(rule for rule in made if rule.label in {"name", "host", "user"}))


def pseudonym(label: str, number: int) -> str:
    """Return the pseudonym of a known identity, which also names its rule: ⟨home⟩, then ⟨home-2⟩."""
    return f"{OPENING}{label}{'' if number == 1 else f'-{number}'}{CLOSING}"


def _make_rules(name: str, label: str, spellings: tuple[str, ...]) -> Iterator[Rule]:
    """Yield the rules for the spellings of one value; none if the value is too ordinary to look for."""
    usable = tuple(text for text in spellings if len(text) >= SHORTEST_NAME and not ORDINARY_NAME.fullmatch(text))
    broken = tuple(literal for text in usable for literal in _behind_backslash(text))
    if usable:
        yield _rule(name, label, usable, 0, _alternatives(usable))
    if broken:
        yield _rule(
            f"{name} after a backslash", label, broken, 1, rf"\\({_alternatives([text[1:] for text in broken])})"
        )


def _rule(name: str, label: str, literals: tuple[str, ...], group: int, pattern: str) -> Rule:
    compiled = compile_pattern(pattern, ignore_case=True)
    return Rule(name, "identity", label, compiled, literals, group=group, ignore_case=True)


def _alternatives(texts: Sequence[str]) -> str:
    return "|".join(map(re.escape, sorted(texts, key=len, reverse=True)))


def _behind_backslash(text: str) -> Iterator[str]:
    r"""Yield the spelling of a name after `\n`, `\r` or `\t` was read as the end of a line."""
    ends = {"n": "\n", "r": "\r", "t": "\t"}
    if text[0] in ends:
        yield "\\" + ends[text[0]] + text[1:]


def _home_spellings(home: str) -> tuple[str, ...]:
    """Return a home directory with all separators, and as the first part of a project key."""
    slashes = home.replace("\\", "/")
    plain = (home, slashes, home.replace("\\", "\\\\"), re.sub(r"[^A-Za-z0-9]", "-", home))
    unix = (f"/{home[0].lower()}{slashes[2:]}",) if home[1:2] == ":" else ()
    return tuple(dict.fromkeys((*plain, *unix)))
