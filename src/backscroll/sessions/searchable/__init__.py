"""Searchable texts: messages, records beside the tree, and files beside transcripts."""
