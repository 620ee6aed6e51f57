"""The commands that keep sessions."""
