"""Summarize calls: the argument of a tool that names the target of the call, and the form of its body."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from backscroll.lazy import lazily
from backscroll.safe_text import one_line
from backscroll.views.figures import cut_path, near
from backscroll.views.terminal.paper import Paper, fit

if TYPE_CHECKING:
    from backscroll.views.json import sessions as json
else:
    json = lazily("backscroll.views.json.sessions")

_KEY_ARGUMENTS: dict[str, tuple[str, ...]] = {
    "Bash": ("command",),
    "PowerShell": ("command",),
    "Read": ("file_path",),
    "Write": ("file_path",),
    "Edit": ("file_path",),
    "MultiEdit": ("file_path",),
    "NotebookEdit": ("notebook_path",),
    "Glob": ("pattern", "path"),
    "Grep": ("pattern", "path", "glob"),
    "LS": ("path",),
    "Task": ("subagent_type", "description"),
    "Agent": ("subagent_type", "description"),
    "WebFetch": ("url",),
    "WebSearch": ("query",),
    "Skill": ("skill", "command", "args"),
    "SlashCommand": ("command",),
    "ToolSearch": ("query",),
    "BashOutput": ("bash_id",),
    "KillShell": ("shell_id",),
    "TaskOutput": ("task_id",),
    "TaskStop": ("task_id",),
    "TaskCreate": ("subject",),
    "TaskUpdate": ("taskId", "status"),
    "SendMessage": ("recipient", "summary"),
}
_JOINTS = {"Task": ": ", "Agent": ": ", "Grep": " in ", "Glob": " in ", "SendMessage": ": ", "TaskUpdate": ": "}
PATH_TOOLS = {"Read", "Write", "Edit", "MultiEdit", "NotebookEdit", "LS"}
"""Tools whose calls are about one file: the end of its path says most."""

_USUAL = ("command", "file_path", "path", "pattern", "query", "url", "description", "subject", "name", "id", "prompt")
_LONGEST = 400


def tool_name(name: str) -> str:
    """Return the readable name of a tool: mcp__github__search_issues to github/search_issues."""
    server, _, tool = name.removeprefix("mcp__").partition("__")
    return f"{server}/{tool}" if name.startswith("mcp__") and tool else name


def about(name: str, call_input: Any, paper: Paper, width: int | None = None) -> str:
    """Return the target of a call on one line, with short paths, cut to a width if given."""
    text = one_line(gist(name, call_input, lambda path: near(path, paper)))
    if width is None:
        return text
    return cut_path(text, width, paper) if name in PATH_TOOLS else fit(text, width, paper)


def gist(name: str, call_input: Any, shorten: Callable[[str], str] = str) -> str:
    """Return the target of a call, from its key arguments; else a summary of the whole input."""
    if not isinstance(call_input, dict):
        return "" if call_input is None else str(call_input)[:_LONGEST]
    special = _special(name, call_input, shorten)
    if special is not None:
        return special
    keys = _KEY_ARGUMENTS.get(name) or next(([key] for key in _USUAL if _is_text(call_input.get(key))), ())
    found = [_argument(key, call_input[key], shorten) for key in keys if call_input.get(key) not in (None, "")]
    if found:
        return _JOINTS.get(name, " ").join(found)
    return json.dumps(call_input)[:_LONGEST] if call_input else ""


def _special(name: str, call_input: dict[str, Any], shorten: Callable[[str], str]) -> str | None:
    if name == "TodoWrite" and isinstance(todos := call_input.get("todos"), list):
        done = sum(1 for todo in todos if isinstance(todo, dict) and todo.get("status") == "completed")
        return f"{done} of {len(todos)} done"
    if name == "AskUserQuestion" and isinstance(questions := call_input.get("questions"), list):
        return "  ".join(str(one.get("question", "")) for one in questions if isinstance(one, dict))
    if plan_text(name, call_input) is not None:
        return ""
    if command_text(name, call_input) is not None:
        return str(call_input.get("description") or "")
    path = call_input.get("file_path")
    if name == "Read" and isinstance(path, str) and path and call_input.get("offset"):
        return f"{shorten(path)} from line {call_input['offset']}"
    return None


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value)


def _argument(key: str, value: Any, shorten: Callable[[str], str]) -> str:
    if not isinstance(value, str):
        return json.dumps(value)[:_LONGEST]
    return shorten(value) if key.endswith("path") else value[: 4 * _LONGEST]


def todo_lines(call_input: Any) -> list[tuple[str, str]]:
    """Return the items of a `TodoWrite` call, each with its status."""
    todos = call_input.get("todos") if isinstance(call_input, dict) else None
    if not isinstance(todos, list):
        return []
    return [(str(todo.get("status", "")), str(todo.get("content", ""))) for todo in todos if isinstance(todo, dict)]


TODO_BOXES = {"completed": "☑", "in_progress": "◐"}


def plan_text(name: str, call_input: Any) -> str | None:
    """Return the plan that a call of `ExitPlanMode` proposes."""
    plan = call_input.get("plan") if name == "ExitPlanMode" and isinstance(call_input, dict) else None
    return plan if isinstance(plan, str) and plan else None


def written_text(name: str, call_input: Any) -> tuple[str, str] | None:
    """Return path and content of a `Write` call."""
    if name != "Write" or not isinstance(call_input, dict):
        return None
    path, content = call_input.get("file_path"), call_input.get("content")
    return (str(path or ""), content) if isinstance(content, str) else None


def command_text(name: str, call_input: Any) -> str | None:
    """Return the command of a shell call that takes more than one line."""
    command = call_input.get("command") if name in ("Bash", "PowerShell") and isinstance(call_input, dict) else None
    return command if isinstance(command, str) and "\n" in command.strip() else None
