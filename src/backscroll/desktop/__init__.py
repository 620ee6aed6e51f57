"""What Claude Desktop knows beyond its sessions: accounts, manifests with their files, declared servers, logs."""
