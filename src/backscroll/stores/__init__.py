"""Stores: the places on disk where Claude's products keep sessions."""
