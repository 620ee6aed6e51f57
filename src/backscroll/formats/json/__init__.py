"""JSON lines: streams, records, lenient decoding and salvage of damaged lines."""
