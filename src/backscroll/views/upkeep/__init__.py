"""The archive, plans of changes and findings of secrets for people and scripts."""
