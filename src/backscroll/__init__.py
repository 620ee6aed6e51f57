"""Read everything that Claude Code leaves on disk.

    >>> import backscroll
    >>> for session in backscroll.list_sessions(root, limit=3).sessions:  # doctest: +SKIP
    ...     print(session.updated, session.title)

The functions are the commands of the same names; what they hand out is documented in docs/python.md.
Names are imported when they are first used: `import backscroll` costs nothing.
"""

from backscroll.version import __version__

TYPE_CHECKING = False  # typing's own constant would cost `backscroll --version` 6 ms
if TYPE_CHECKING:
    from backscroll.errors import (
        BackscrollError,
        BusyError,
        ConflictError,
        CorruptError,
        NotFoundError,
        QueryError,
        RefusedError,
        UnreadableError,
    )
    from backscroll.index.progress import Progress, Report
    from backscroll.index.search import Options
    from backscroll.place import Place
    from backscroll.records import Damage, Note
    from backscroll.sessions.model import (
        Agent,
        Branch,
        Call,
        Message,
        Overview,
        Part,
        Result,
        Session,
        SessionList,
        StoreSummary,
        Transcript,
        TreeNode,
        Usage,
    )
    from backscroll.stats.model import (
        Amount,
        Audit,
        AuditMessage,
        Burn,
        Comparison,
        ContextPoint,
        CopiedFrom,
        ModelDifference,
        Timeline,
        ToolReport,
        ToolUse,
        Turn,
        Unpriced,
        UsageReport,
        UsageRow,
    )
    from backscroll.text.hits import Found, Hit
    from backscroll.verbs import (
        calls,
        list_sessions,
        list_stores,
        overview,
        raw,
        search,
        search_index,
        show,
        timeline,
        tools,
        tree,
        update_index,
        usage,
        usage_audit,
    )

_HOMES = {
    "backscroll.errors": (
        "BackscrollError",
        "BusyError",
        "ConflictError",
        "CorruptError",
        "NotFoundError",
        "QueryError",
        "RefusedError",
        "UnreadableError",
    ),
    "backscroll.index.progress": ("Progress", "Report"),
    "backscroll.place": ("Place",),
    "backscroll.records": ("Damage", "Note"),
    "backscroll.sessions.model": (
        "Agent",
        "Branch",
        "Call",
        "Message",
        "Overview",
        "Part",
        "Result",
        "Session",
        "SessionList",
        "StoreSummary",
        "Transcript",
        "TreeNode",
        "Usage",
    ),
    "backscroll.stats.model": (
        "Amount",
        "Audit",
        "AuditMessage",
        "Burn",
        "Comparison",
        "ContextPoint",
        "CopiedFrom",
        "ModelDifference",
        "Timeline",
        "ToolReport",
        "ToolUse",
        "Turn",
        "Unpriced",
        "UsageReport",
        "UsageRow",
    ),
    "backscroll.text.hits": (
        "Found",
        "Hit",
    ),
    "backscroll.index.search": ("Options",),
    "backscroll.verbs": (
        "calls",
        "list_sessions",
        "list_stores",
        "overview",
        "raw",
        "search",
        "search_index",
        "show",
        "timeline",
        "tools",
        "tree",
        "update_index",
        "usage",
        "usage_audit",
    ),
}
_MODULES = {name: module for module, names in _HOMES.items() for name in names}

__all__ = [
    "Agent",
    "Amount",
    "Audit",
    "AuditMessage",
    "BackscrollError",
    "Branch",
    "Burn",
    "BusyError",
    "Call",
    "Comparison",
    "ConflictError",
    "ContextPoint",
    "CopiedFrom",
    "CorruptError",
    "Damage",
    "Found",
    "Hit",
    "Message",
    "ModelDifference",
    "NotFoundError",
    "Note",
    "Options",
    "Overview",
    "Part",
    "Place",
    "Progress",
    "QueryError",
    "RefusedError",
    "Report",
    "Result",
    "Session",
    "SessionList",
    "StoreSummary",
    "Timeline",
    "ToolReport",
    "ToolUse",
    "Transcript",
    "TreeNode",
    "Turn",
    "Unpriced",
    "UnreadableError",
    "Usage",
    "UsageReport",
    "UsageRow",
    "__version__",
    "calls",
    "list_sessions",
    "list_stores",
    "overview",
    "raw",
    "search",
    "search_index",
    "show",
    "timeline",
    "tools",
    "tree",
    "update_index",
    "usage",
    "usage_audit",
]


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module 'backscroll' has no attribute {name!r}")
    import importlib  # noqa: PLC0415 - as above

    return getattr(importlib.import_module(_MODULES[name]), name)


def __dir__() -> list[str]:
    return __all__
