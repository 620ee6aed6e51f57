"""Commands about tokens, cost and tools."""
