"""Queries on the catalogue: sessions, usage, file changes, search and messages."""
