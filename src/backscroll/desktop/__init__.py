"""Facts that Claude Desktop stores beyond sessions: accounts, manifests with their files, MCP servers, logs."""
