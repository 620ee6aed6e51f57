"""The places where backscroll searches for stores, for `backscroll stores`.  docs/formats.md, "Locations"."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from backscroll.dirs import user_home
from backscroll.stores.base import is_there
from backscroll.stores.find import CONFIGS, DESKTOP, HOMES, absolute_or_none, matching, spellings_of

_CODE, _APP = "Claude Code", "Claude Desktop"


@dataclass(frozen=True, slots=True)
class LookedAt:
    """A searched place; `found` is True if it exists."""

    product: str
    path: str
    """A path; a star matches any name."""
    found: bool


def looked_at(root: Path | None, env: Mapping[str, str]) -> list[LookedAt]:
    """Return every searched place, whether it exists or not."""
    if root is not None:
        homes = [root.absolute(), *matching(root.absolute(), HOMES)]
        named: list[tuple[str, Path, str]] = []
    else:
        homes = [home for home in [user_home(env)] if home is not None]
        named = list(_places_named(env))
    places = [(_CODE, home, pattern) for home in homes for pattern in (".claude", *CONFIGS)]
    places += [(_APP, home, pattern) for home in homes for pattern in DESKTOP]
    seen = [LookedAt(product, str(top / pattern), bool(matching(top, [pattern]))) for product, top, pattern in places]
    return list(dict.fromkeys([*(LookedAt(name, str(top), is_there(top)) for name, top, _ in named), *seen]))


def _places_named(env: Mapping[str, str]) -> Iterator[tuple[str, Path, str]]:
    """Yield the places that environment variables name."""
    for path in spellings_of(env.get("CLAUDE_CONFIG_DIR", ""), user_home(env)):
        yield _CODE, path, ""
    for name, below in (("CLAUDE_USER_DATA_DIR", ""), ("APPDATA", "Claude"), ("XDG_CONFIG_HOME", "Claude")):
        if place := absolute_or_none(env.get(name)):
            yield _APP, place / below, ""
