"""Bringing the catalogue up to date with the stores."""
