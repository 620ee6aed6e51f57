"""Sessions as files for other people, always redacted; and a static site of everything for oneself.

choice       the messages and parts that go out
documents    a session as redacted files, each scanned when it is finished
pdf          a page printed by a browser that has no network
site         `export`: one page for each session, a list and a search
"""

from backscroll.share.choice import ShareChoice
from backscroll.share.documents import FORMS, Shared, refuse_inside_claude, refuse_unsafe, share_sessions

__all__ = ["FORMS", "ShareChoice", "Shared", "refuse_inside_claude", "refuse_unsafe", "share_sessions"]
