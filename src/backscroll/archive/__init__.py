"""The archive: our verified copy of Claude's raw files.  docs/archive.md."""
