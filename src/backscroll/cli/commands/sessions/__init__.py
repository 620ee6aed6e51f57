"""Commands about sessions: overview, list, show, outline, tree, search, watch, calls."""
