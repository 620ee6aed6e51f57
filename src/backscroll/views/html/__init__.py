"""HTML: a session as one page that needs no script and makes no request."""
