"""The user's own redaction rules: `redact.toml` in our own directory."""

from pathlib import Path

from backscroll import dirs
from backscroll.errors import QueryError
from backscroll.files import read_small
from backscroll.redact import Rule, combine_rules, load_rules, shipped_rules

_LARGEST = 4 << 20


def load_user_rules(own: Path) -> tuple[Rule, ...]:
    """Return the shipped rules with those of the user before them; raise QueryError if one of the user's is wrong."""
    path = dirs.redact(own)
    try:
        text = read_small(path, _LARGEST).decode("utf-8-sig")
    except FileNotFoundError:
        return shipped_rules()
    except (OSError, ValueError) as error:
        raise QueryError(f"The table of redaction rules cannot be read ({error})", str(path)) from None
    return combine_rules(load_rules(text, str(path)), shipped_rules())


def load_secret_rules(own: Path) -> tuple[Rule, ...]:
    """Return the rules that find secrets, without those that find names, homes and addresses."""
    return tuple(rule for rule in load_user_rules(own) if rule.family != "identity")
