"""Recovery: every version of every file that the stores prove, and the code that writes versions to the disk.

`content` (text and bytes of a version), `replay` (evidence to versions), `history` (the evidence of one file),
`catalogue` (all files), `versions` (one version, a diff, a search), `patches` and `session_patch` (diffs for git),
`names` (safe names for recovered paths), `restore` (writing).
"""
