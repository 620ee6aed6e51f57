"""Search: the matching documents, their order, and the texts of hits."""
