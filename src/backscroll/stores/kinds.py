"""The kinds of stores and the kinds of files in them, each with one line of explanation."""

STORES = ("code", "desktop", "cowork", "browser", "side", "archive")
"""The kinds of stores, as `--store` takes them."""

KINDS = {
    "transcript": "a session's transcript",
    "superseded": "another version of a transcript, kept under another name",
    "earlier": "a transcript that a later one of the same conversation continues",
    "agent": "an agent's transcript",
    "agent-meta": "the caller and the purpose of an agent",
    "title": "a title that the user typed",
    "archived": "marks a session as archived",
    "released": "marks a session that Desktop released",
    "project-index": "a list of the sessions of a project, from older versions",
    "tool-result": "an output of a tool that was too large for the transcript",
    "workflow-journal": "the steps of a workflow",
    "script": "the script of a workflow",
    "task-meta": "tasks of agents on other machines",
    "memory": "Claude's memory notes",
    "copy": "a copy of a transcript that a job was given",
    "history": "all prompts that were typed",
    "paste": "a text that was pasted into a prompt",
    "plan": "a plan",
    "todos": "a list of todos",
    "tasks": "a list of tasks",
    "file-history": "a copy of a file that was made before Claude changed it",
    "image": "a picture that was pasted into a prompt",
    "upload": "a file that was given to a session",
    "output": "a file that a session of Cowork made",
    "last-cleanup": "the time of Claude Code's last clean-up",
    "archived-index": "a list of archived sessions",
    "side-other": "a file of unknown kind beside the transcripts",
    "desktop-other": "a file of Desktop of unknown kind",
    "global-config": ".claude.json: accounts, projects, feature flags",
    "config-backup": "a copy of it",
    "settings": "settings of Claude Code",
    "live": "names the process of a running session",
    "row": "a row of Desktop: its record of a session",
    "row-tmp": "a row that was being written",
    "tombstone": "marks a session that was deleted in Desktop",
    "cloud-list": "a list of sessions that are in the cloud",
    "audit": "Cowork's own log of a session",
    "schedule": "scheduled tasks of an account",
    "scheduled": "the prompt of a scheduled task",
    "spaces": "the spaces of Cowork",
    "backlog": "tasks of a space",
    "worktrees": "the git worktrees that Desktop made",
    "desktop-config": "the account that Desktop is signed in with",
    "desktop-settings": "settings of Desktop",
    "counter": "a counter of Desktop: tokens of the day, use of the plan",
    "log": "a log of Desktop",
    "browser": "browser storage of Desktop's pages",
    "secret": "a file that holds a secret, and is never opened",
    "other": "a file of unknown kind; it is counted and not read",
    "kept": "a copy in the archive of a transcript that still exists",
    "gone": "a deleted file",
}
"""The contents of each kind of file; files of other kinds are counted and not read."""

TRANSCRIPTS = {"transcript", "superseded", "earlier", "agent"}
"""The kinds of files that are read as transcripts."""
CONFIGS = {"global-config", "config-backup"}
HISTORIES = {"history", "paste"}
WHOLE = {
    "backlog",
    "memory",
    "plan",
    "schedule",
    "scheduled",
    "script",
    "spaces",
    "task-meta",
    "tasks",
    "todos",
    "tool-result",
    "workflow-journal",
}
"""The kinds of files beside transcripts that are search results of their own."""
WITH_WORDS = TRANSCRIPTS | CONFIGS | HISTORIES | WHOLE | {"project-index", "row"}
"""The kinds of files in the search index."""
CHECKED = CONFIGS | WHOLE | {"project-index", "row"}
"""The kinds of files whose content is compared if the file time does not prove that they are unchanged."""

LINES = {"history", "workflow-journal", "audit"}
"""The kinds of files beside transcripts that hold one record per line."""
OF_ANY_SIZE = LINES | {"file-history", "browser", "log"}
"""The kinds of files without a limit of size."""
UNREAD = {
    "kept": "a copy of a transcript that is read",
    "copy": "a copy of a transcript that is read",
    "image": "a picture; the transcript names it",
    "upload": "a file of the user's; the transcript names it",
    "last-cleanup": "only its modification time is used",
    "archived-index": "the rows that it lists are read",
    "side-other": "unknown kind of file",
    "desktop-other": "unknown kind of file",
    "secret": "may hold a secret and is never opened",
    "other": "unknown kind of file",
}
"""The reason why files of a kind are counted and not read."""
_BESIDE_LEVELDB = {"LOCK", "LOG", "LOG.old"}


def why_unread(kind: str, name: str) -> str | None:
    """Return why a file is counted and not read, or None if it is read."""
    if kind == "browser" and name in _BESIDE_LEVELDB:
        return "the browser's own note; pages store nothing in it"
    return UNREAD.get(kind)
