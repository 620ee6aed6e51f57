"""Text for a terminal or a pipe: sessions, messages, calls, hits and lists."""
