"""Read one session: messages, calls and the tree with their texts."""
