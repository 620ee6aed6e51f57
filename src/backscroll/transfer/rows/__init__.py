"""Rows of Claude Desktop, and the groups of its sidebar, for other accounts."""
