"""Transfers: sessions made resumable elsewhere."""
