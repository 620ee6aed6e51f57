"""The numbers that stand for what lies in no single file."""

TITLES = 0
"""The names of sessions and agents."""
CONFIGS = -1
"""The prompts that all global configs remember together."""
