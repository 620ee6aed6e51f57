"""Rows that SQL derives from others: sessions, copies, sums, Desktop's rows and marks."""
