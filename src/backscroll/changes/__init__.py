"""Changes in Claude's directories: plan, journal, apply, undo; no other code writes there."""
