"""Read everything that Claude Code, Desktop and Cowork leave on disk.

    >>> import backscroll
    >>> for session in backscroll.list_sessions(root, limit=3).sessions:  # doctest: +SKIP
    ...     print(session.updated, session.title)

Each command has a function of the same name; docs/python.md describes the values that they return.
Names are imported when they are first used, so `import backscroll` costs nothing.
The stub `__init__.pyi` has the module of each name for type checkers; scripts/write_public_names.py makes it.
"""

from backscroll.version import __version__  # noqa: F401 - a public name

_PUBLIC_NAMES = {
    "backscroll.archive.model": (
        "ArchiveStatus",
        "ArchiveTimer",
        "ArchivedFact",
        "ArchivedFile",
        "ArchivedVersion",
        "Installation",
        "Mirroring",
        "Pruning",
        "Repair",
        "Restoration",
        "Restored",
        "SchedulerCommand",
        "Verification",
    ),
    "backscroll.archive.sources": ("SkippedFile", "SyncReport"),
    "backscroll.changes.journal": ("JournalSummary",),
    "backscroll.changes.plan": ("ChangePlan", "PlanStep"),
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
    "backscroll.formats.chromium.records": ("StorageRecord",),
    "backscroll.formats.state": ("StorageState",),
    "backscroll.functions": (
        "accounts",
        "archive_facts",
        "archive_files",
        "archive_import",
        "archive_install",
        "archive_list",
        "archive_mirror",
        "archive_prune",
        "archive_repair",
        "archive_restore",
        "archive_status",
        "archive_sync",
        "archive_uninstall",
        "archive_verify",
        "archive_versions",
        "blame",
        "calls",
        "compare_flags",
        "cowork",
        "doctor",
        "doctor_fix",
        "drift",
        "drift_json_schema",
        "flags",
        "list_files",
        "list_sessions",
        "list_stores",
        "log_files",
        "logs",
        "marks",
        "mcp_servers",
        "media",
        "messages",
        "outline",
        "overview",
        "raw",
        "recover",
        "recover_content",
        "recover_diff",
        "recover_files",
        "recover_search",
        "resume",
        "schedules",
        "search",
        "search_index",
        "session_patch",
        "show",
        "storage",
        "timeline",
        "tools",
        "transfer_copy",
        "transfer_log",
        "transfer_pack",
        "transfer_pins",
        "transfer_project",
        "transfer_resume",
        "transfer_row",
        "transfer_undo",
        "transfer_unpack",
        "tree",
        "update_index",
        "usage",
        "usage_audit",
        "watch",
        "worktrees",
    ),
    "backscroll.index.progress": ("Progress", "Report"),
    "backscroll.index.search.search": ("Options",),
    "backscroll.health.model": ("CheckedAmount", "HealthFinding", "HealthReport"),
    "backscroll.inventory.report": ("Check", "CheckedField", "Drift", "FieldUse", "TypeUse", "Unknown"),
    "backscroll.library": ("Library", "open"),
    "backscroll.place": ("Place",),
    "backscroll.query.hits": ("DayCount", "Found", "Hit"),
    "backscroll.records": ("Damage", "Json", "Note"),
    "backscroll.recovery.model": (
        "Blame",
        "BlameLine",
        "FileHistory",
        "FileList",
        "FileSummary",
        "Match",
        "Recovered",
        "Version",
        "WritePlan",
        "Written",
    ),
    "backscroll.sessions.desktop_model": (
        "Account",
        "Accounts",
        "AuditTrail",
        "Counter",
        "LogLine",
        "Manifest",
        "McpServer",
        "Permission",
        "Run",
        "Schedule",
        "SessionFile",
        "SignedIn",
        "Workspace",
    ),
    "backscroll.sessions.joining.marks": ("DesktopMarks", "Group", "Marks", "Source"),
    "backscroll.sessions.message": ("Message", "Part"),
    "backscroll.sessions.model": ("Branch", "Call", "Result", "Transcript", "TreeNode"),
    "backscroll.sessions.page": ("MessagePage", "Outline", "OutlineItem"),
    "backscroll.sessions.session": ("Agent", "DesktopRow", "Session", "SessionList", "SessionMarks", "Usage"),
    "backscroll.sessions.summaries": (
        "Media",
        "Overview",
        "StoreAccount",
        "StoreSummary",
        "UnreadFile",
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
    "backscroll.stores.desktop_files.flags": ("Flag", "FlagChange", "FlagDifference", "FlagReport"),
    "backscroll.stores.desktop_files.storage": ("Storage",),
    "backscroll.stores.desktop_files.worktrees": ("Worktree", "WorktreeReport"),
    "backscroll.transfer.model": ("LeftOut", "Packed", "Resumption", "RowCopies", "Unpacking"),
    "backscroll.verbs.search": ("SearchFunction",),
}
"""Every module with public names, and its names."""
_RENAMED = {"StorageState": "State", "open": "open_library"}
"""Public names that their module spells otherwise."""
_MODULES = {name: module for module, names in _PUBLIC_NAMES.items() for name in names}

__all__ = [*sorted((*_MODULES, "__version__"))]  # noqa: PLE0604 - every name is a text


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module 'backscroll' has no attribute {name!r}")
    import importlib  # noqa: PLC0415 - `backscroll --version` does without

    return getattr(importlib.import_module(_MODULES[name]), _RENAMED.get(name, name))


def __dir__() -> list[str]:
    return __all__
