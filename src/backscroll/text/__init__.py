"""The words of texts: how they are cut, folded, kept in a full-text index, and asked for."""
