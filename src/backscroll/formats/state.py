"""State: what one of several versions of a stored value is now."""

from enum import StrEnum


class State(StrEnum):
    """What a version is to the store now."""

    LIVE = "live"
    DELETED = "deleted"
    """The key is gone: its last deletion, and the last value it had."""
    SUPERSEDED = "superseded"
