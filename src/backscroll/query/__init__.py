"""The query language, the words of texts, and the queries for the full-text index."""
