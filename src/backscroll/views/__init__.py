"""Views: sessions, messages and calls to JSON, text, Markdown and HTML.

Every view is a pure function of values: it opens nothing, knows no clock and no terminal.
What a view must know of the paper it is printed on comes in as a `Paper`.
"""
