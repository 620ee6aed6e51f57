"""Formats: bytes to values.  This package knows no paths of products and opens no files.

In `json/`, `streams` unpacks gzip and UTF-16, `lines` splits lines into `Record | Damage`, `lenient` reads
one damaged JSON text, and `salvage` finds the records inside a damaged line.
"""
