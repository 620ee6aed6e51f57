"""The command line: one file per command, each of them options, one verb, print."""
