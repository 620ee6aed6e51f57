"""Reports for people and scripts: usage, tools, files, Desktop, storage, flags and drift."""
