"""Usage, cost and tool calls, computed from the sums in the index."""
