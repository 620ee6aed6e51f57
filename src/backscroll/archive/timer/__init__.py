"""The timer that syncs the archive by itself, and the hook in Claude Code's settings."""
