"""Chromium's storage: Local Storage, Session Storage and IndexedDB, in LevelDB and in SQLite."""
