"""Formats: bytes in, values out.  Nothing here knows a product's paths or opens a file.

`streams` takes off gzip and UTF-16, `jsonl` splits lines into `Record | Damage`, `lenient` reads one
damaged JSON text, `salvage` finds the records inside a damaged line.
"""
