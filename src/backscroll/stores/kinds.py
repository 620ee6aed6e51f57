"""The kinds of files that stores find, each explained in a line."""

KINDS = {
    "transcript": "a session's transcript",
    "superseded": "another version of a transcript that somebody set aside",
    "earlier": "a transcript that a later one of the same conversation continues",
    "agent": "an agent's transcript",
    "agent-meta": "who started an agent, and what for",
    "title": "a title that somebody typed",
    "archived": "says that a session is archived",
    "released": "says that Desktop has released a session",
    "project-index": "a list of the sessions of a project, as older versions kept it",
    "tool-result": "an output of a tool that was too large for the transcript",
    "workflow-journal": "the steps of a workflow",
    "script": "what a workflow is to do",
    "task-meta": "what was asked of agents elsewhere",
    "memory": "what Claude wrote down to remember",
    "copy": "a copy of a transcript that a job was given",
    "history": "all prompts that were typed",
    "paste": "a text that was pasted into a prompt",
    "plan": "a plan",
    "todos": "a list of todos",
    "tasks": "a list of tasks",
    "file-history": "a copy of a file that was made before Claude changed it",
    "image": "a picture that was pasted into a prompt",
    "upload": "a file that was given to a session",
    "last-cleanup": "says when Claude Code last deleted old sessions",
    "archived-index": "a list of archived sessions",
    "side-other": "a file beside the transcripts that fits nowhere",
    "desktop-other": "a file of Desktop that fits nowhere",
    "global-config": ".claude.json: accounts, projects, feature flags",
    "config-backup": "a copy of it",
    "settings": "settings of Claude Code",
    "live": "says which process holds a session",
    "row": "a row of Desktop: all that it wrote down of a session",
    "row-tmp": "a row that was being written",
    "tombstone": "says that a session was deleted in Desktop",
    "cloud-list": "a list of sessions that are in the cloud",
    "audit": "Cowork's own log of a session",
    "schedule": "scheduled tasks of an account",
    "scheduled": "what a scheduled task is to do",
    "spaces": "the spaces of Cowork",
    "backlog": "tasks of a space",
    "worktrees": "the git worktrees that Desktop made",
    "desktop-config": "which account Desktop is signed in with",
    "desktop-settings": "settings of Desktop",
    "counter": "a counter of Desktop: tokens of the day, use of the plan",
    "log": "a log of Desktop",
    "browser": "a file in which pages of Desktop keep something",
    "secret": "a file that holds a secret, and is never opened",
    "other": "a file that fits nowhere; it is counted and not read",
    "gone": "a file that is no longer there",
}
"""Kind to what such a file holds; a store may find others too, which are counted and not read."""

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
"""The kinds of files beside transcripts that a search finds by themselves."""
WITH_WORDS = TRANSCRIPTS | CONFIGS | HISTORIES | WHOLE | {"project-index", "row"}
"""The kinds of files whose words are taken in."""
CHECKED = CONFIGS | WHOLE | {"project-index", "row"}
"""Those of them whose content is compared where their time alone does not tell whether they changed."""
