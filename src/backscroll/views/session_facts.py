"""The facts in the head of a document: in pages and in Markdown."""

from backscroll.sessions.session import Session
from backscroll.views.figures import dollars, period, short, tilde
from backscroll.views.terminal.listing import held, place_of
from backscroll.views.terminal.paper import Paper


def session_facts(session: Session, paper: Paper) -> list[tuple[str, str]]:
    """Return name and value of each known fact of a session."""
    usage = session.usage
    spent = [usage.input, usage.output, usage.cache_write, usage.cache_read]
    facts = [
        ("session", session.id),
        ("project", tilde(place_of(session) or "", paper)),
        ("git branch", session.branch or ""),
        ("time", period(session.started, session.updated, paper)),
        ("model", ", ".join(session.models) or session.model or ""),
        ("version", session.version or ""),
        ("messages", f"{session.messages:,}"),
        ("calls", f"{session.calls:,}" if session.calls else ""),
        ("tokens", short(sum(filter(None, spent))) if any(spent) else ""),
        ("cost", dollars(usage.cost)),
        ("state", session.state if session.state != "live" else ""),
        ("held", held(session)),
    ]
    return [(name, value) for name, value in facts if value]
