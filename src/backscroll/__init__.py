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
    from backscroll.verbs import (
        calls,
        list_files,
        list_sessions,
        list_stores,
        overview,
        raw,
        recover,
        recover_content,
        recover_diff,
        recover_files,
        recover_search,
        session_patch,
        show,
        timeline,
        tools,
        tree,
        update_index,
        usage,
        usage_audit,
    )
    from backscroll.versions.model import (
        FileHistory,
        FileList,
        FileSummary,
        Match,
        Recovered,
        Version,
        WritePlan,
        Written,
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
    "backscroll.versions.model": (
        "FileHistory",
        "FileList",
        "FileSummary",
        "Match",
        "Recovered",
        "Version",
        "WritePlan",
        "Written",
    ),
    "backscroll.verbs": (
        "calls",
        "list_files",
        "list_sessions",
        "list_stores",
        "overview",
        "raw",
        "recover",
        "recover_content",
        "recover_diff",
        "recover_files",
        "recover_search",
        "session_patch",
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
    "FileHistory",
    "FileList",
    "FileSummary",
    "Match",
    "Message",
    "ModelDifference",
    "NotFoundError",
    "Note",
    "Overview",
    "Part",
    "Place",
    "Progress",
    "QueryError",
    "Recovered",
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
    "Version",
    "WritePlan",
    "Written",
    "__version__",
    "calls",
    "list_files",
    "list_sessions",
    "list_stores",
    "overview",
    "raw",
    "recover",
    "recover_content",
    "recover_diff",
    "recover_files",
    "recover_search",
    "session_patch",
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
