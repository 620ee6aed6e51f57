"""The archive, plans of changes and findings of secrets as people and scripts read them."""
