"""Queries on the catalogue: sessions, usage, file changes and messages."""
