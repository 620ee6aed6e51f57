"""Files of Claude Desktop: rows, manifests, logs, worktrees, flags, and the fields of each that we may read."""
