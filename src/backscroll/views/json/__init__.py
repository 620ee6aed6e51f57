"""JSON: the keys of docs/json.md, one module per group of commands."""
