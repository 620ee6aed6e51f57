"""From records to conversations: rows, trees, agents, messages, calls and usage."""
