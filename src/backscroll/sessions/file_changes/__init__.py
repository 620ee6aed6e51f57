"""File changes: the statements that calls and records make about files."""
