"""The state of one of several versions of a stored value."""

from enum import StrEnum


class State(StrEnum):
    """The state of a version in the store."""

    LIVE = "live"
    DELETED = "deleted"
    """The key is gone: its last deletion, and the last value it had."""
    SUPERSEDED = "superseded"
