"""Commands that give sessions to other people."""
