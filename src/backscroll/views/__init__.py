"""Views: sessions, messages and calls to JSON, text, Markdown and HTML.

Every view is a pure function of values: it opens nothing and depends on no clock and no terminal.
A `Paper` has the properties of the output that a view needs.
"""
