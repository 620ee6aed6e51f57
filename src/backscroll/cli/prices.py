"""A user's own prices: `prices.toml` in backscroll's directory, which wins over the table of the package."""

import os
from collections.abc import Mapping
from typing import Any

from backscroll import dirs
from backscroll.errors import QueryError
from backscroll.files import read_small, reason_at_named

_LARGEST = 1 << 20
_REMEDY = "docs/usage.md shows how prices are written; without the file those of the package hold."


def own_prices(environment: Mapping[str, str] = os.environ) -> Mapping[str, Any] | None:
    """Return the user's own prices, None if there are none."""
    path = dirs.prices(dirs.home(environment))
    if not os.path.lexists(path):
        return None
    import tomllib  # noqa: PLC0415  (7 ms, and only for those who have the file)

    try:
        return tomllib.loads(read_small(path, _LARGEST).decode())
    except OSError as error:
        raise QueryError(f"cannot read your prices: {reason_at_named(error)}", str(path), _REMEDY) from error
    except ValueError as error:
        raise QueryError(f"your prices are not valid TOML: {error}", str(path), _REMEDY) from error
