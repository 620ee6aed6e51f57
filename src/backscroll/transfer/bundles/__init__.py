"""Bundles: one file that carries sessions to another machine."""
