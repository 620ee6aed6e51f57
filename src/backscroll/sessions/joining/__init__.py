"""Joins: copies, agents, titles, projects, Desktop rows, worktrees and marks."""
