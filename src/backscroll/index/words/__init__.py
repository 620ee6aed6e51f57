"""The words of everything that is searched, beside the catalogue."""
