"""Versions: every state of every file that the stores still prove, and the way back to disk.

`content` (text and bytes of a state), `replay` (evidence to versions), `history` (the evidence of one file),
`catalogue` (all files), `versions` (one version, a diff, a search), `patches` and `session_patch` (diffs for git),
`names` (safe names for recovered paths), `restore` (writing).
"""
