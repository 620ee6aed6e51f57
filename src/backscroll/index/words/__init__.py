"""The full-text index beside the catalogue."""
