"""The library: one function for each command.

Each takes `root`, a home directory of any system to read instead of this user's own.  Each first updates the index
unless `update` is False.  Long answers are iterators.  Only `recover_files` writes outside backscroll's own
directory.
"""
