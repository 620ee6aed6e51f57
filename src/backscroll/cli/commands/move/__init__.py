"""Commands that move sessions: between accounts, machines and directories."""
