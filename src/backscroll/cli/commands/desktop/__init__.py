"""Commands about Claude Desktop: accounts, cowork, storage, worktrees, flags."""
