"""The file numbers of entries that lie in no single file."""

TITLES = 0
"""The names of sessions and agents."""
CONFIGS = -1
"""The prompts of all global configs together."""
