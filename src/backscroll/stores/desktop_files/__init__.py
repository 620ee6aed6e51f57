"""Files of Claude Desktop: rows, manifests, logs, worktrees, flags, and the fields that we may read in each."""
