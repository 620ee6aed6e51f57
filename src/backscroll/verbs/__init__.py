"""The library: one function for each command.

Each takes `root`, a home directory of any system to read instead of this user's own, and brings the
index up to date first unless `update` is False.  Long answers come as iterators.  Nothing is ever
written outside backscroll's own directory, but for `recover_files`, which does as it is asked.
"""
