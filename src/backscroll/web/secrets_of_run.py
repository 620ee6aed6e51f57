"""The secret of one run, and the links and cookies that are made from it.

A link signs one browser in, once.  A cookie is the proof of a browser that signed in.
Both hold a random word and its keyed hash, so nothing about browsers is stored.
"""

import hashlib
import hmac
import secrets


class RunSecret:
    """The token of one server, with the links that were used up."""

    def __init__(self, token: str | None = None) -> None:
        self.token = token or secrets.token_urlsafe(32)
        self._used: set[str] = set()

    def is_token(self, text: str) -> bool:
        """Return True if a text is the token."""
        return hmac.compare_digest(text.encode(), self.token.encode())

    def new_link(self) -> str:
        """Return a word for the fragment of an address."""
        return self._signed("link", secrets.token_urlsafe(12))

    def use_link(self, link: str) -> str | None:
        """Return the cookie of a new browser; None for a link that is wrong or used up."""
        word = link.partition(".")[0]
        if not self._is_signed("link", link) or word in self._used:
            return None
        self._used.add(word)
        return self._signed("cookie", secrets.token_urlsafe(12))

    def is_cookie(self, cookie: str) -> bool:
        """Return True if a browser that signed in holds this cookie."""
        return self._is_signed("cookie", cookie)

    def _signed(self, purpose: str, word: str) -> str:
        key, text = self.token.encode(), f"{purpose}:{word}".encode()
        return f"{word}.{hmac.new(key, text, hashlib.sha256).hexdigest()}"

    def _is_signed(self, purpose: str, text: str) -> bool:
        expected = self._signed(purpose, text.partition(".")[0])
        return hmac.compare_digest(text.encode(), expected.encode())
