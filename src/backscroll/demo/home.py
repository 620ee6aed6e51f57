"""The demo home: every story as a transcript, the side files beside them, and the files of Claude Desktop."""

import json
import os
from datetime import datetime, timedelta
from pathlib import Path

from backscroll.demo import desktop
from backscroll.demo.draft import Draft
from backscroll.demo.rows import NOON
from backscroll.demo.stories import STORIES, Story, StoryStep, Task
from backscroll.errors import RefusedError
from backscroll.files import make_private_directory, write_atomically

_MARK = ".backscroll-demo"
_PLAN = "# A better first week\n\n1. One page per day\n2. One thing to finish on each\n3. A buddy for questions\n"


def write_demo_home(directory: Path, now: datetime = NOON) -> Path:
    """Write a home directory with sessions from the weeks before `now`, and return it.

    An earlier demo home is overwritten; any other directory with content is refused.
    """
    directory = directory.absolute()
    if directory.exists() and not (directory / _MARK).exists() and any(directory.iterdir()):
        raise RefusedError("refused to write a demo home into a directory that is not empty", str(directory))
    make_private_directory(directory)
    _write(directory, _MARK, b"Written by backscroll; may be deleted.\n")
    drafts: dict[str, Draft] = {}
    for story in STORIES:
        draft = drafts[story.session] = _draft(story, now, drafts)
        draft.write(directory, mtime=now - timedelta(days=story.kept) if story.kept else None)
    for name, text in _side_files(list(drafts.values())).items():
        _write(directory, name, text.encode())
        os.utime(directory / name, (now.timestamp(), now.timestamp()))
    for name, data in desktop.desktop_files(now):
        _write(directory, name, data)
        os.utime(directory / name, (now.timestamp(), now.timestamp()))
    report = f"local-agent-mode-sessions/{desktop.OFFICE}/{desktop.HARBOUR}/local_{desktop.REPORT_APP}"
    desktop.report_draft(now).write(directory / desktop.DATA / report)
    return directory


def play(draft: Draft, steps: list[StoryStep | Task]) -> Draft:
    """Add a story's steps to a draft."""
    for step in steps:
        if isinstance(step, Task):
            _run(draft, step)
        else:
            getattr(draft, step.name)(*step.arguments, **step.options)
    return draft


def _run(draft: Draft, task: Task) -> None:
    in_background = task.meanwhile is not None
    agent = draft.agent(task.description, task.prompt, kind="Explore", background=in_background)
    play(agent, task.steps)
    if task.meanwhile is None:
        draft.join(agent, task.answer)
    else:
        play(draft, task.meanwhile).notify(agent, task.answer)


def _draft(story: Story, now: datetime, drafts: dict[str, Draft]) -> Draft:
    started = now - timedelta(days=story.age)
    draft = Draft(story.session, story.cwd, story.version, started, branch=story.branch)
    if story.fork_of:
        draft = drafts[story.fork_of].fork(story.session)
        draft.now = started
    return play(draft, story.steps)


def _side_files(drafts: list[Draft]) -> dict[str, str]:
    typed = sorted(((*said, draft) for draft in drafts for said in draft.typed), key=lambda prompt: prompt[0])
    history = [
        {
            "display": text,
            "pastedContents": {},
            "timestamp": int(time.timestamp() * 1000),
            "project": draft.cwd,
            "sessionId": draft.session,
        }
        for time, text, draft in typed
    ]
    export = next(draft.session for draft in drafts if draft.version == "2.1.250")
    todos = [{"content": "Document it", "status": "pending", "activeForm": "Documenting it"}]
    account = {
        "accountUuid": desktop.ANN,
        "emailAddress": "ann@example.com",
        "organizationUuid": desktop.PERSONAL,
        "organizationName": "Ann's own",
    }
    projects = {draft.cwd: {"lastSessionId": draft.session} for draft in drafts}
    flags = {"tengu_session_memory": True, "tengu_fast_resume": False, "tengu_plan_model": "opus"}
    settings = {
        "numStartups": 42,
        "oauthAccount": account,
        "projects": projects,
        "cachedGrowthBookFeatures": flags,
    }
    return {
        ".claude/history.jsonl": "".join(json.dumps(prompt, ensure_ascii=False) + "\n" for prompt in history),
        f".claude/todos/{export}-agent-{export}.json": json.dumps(todos),
        ".claude/plans/calm-mapping-heron.md": _PLAN,
        ".claude/settings.json": json.dumps({"cleanupPeriodDays": 30}, indent=2) + "\n",
        ".claude.json": json.dumps(settings, indent=2) + "\n",
    }


def _write(directory: Path, name: str, data: bytes) -> None:
    make_private_directory((directory / name).parent)
    write_atomically(directory / name, data, inside=directory, durable=False)
