"""The timer that runs `archive sync`, and the hook in Claude Code's settings."""
