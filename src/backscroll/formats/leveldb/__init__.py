"""LevelDB: logs, tables and manifests, read without a lock."""
