"""Transcripts: records to rows, facts and the tree of one session or agent."""
