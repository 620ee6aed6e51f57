"""Values that a shell offers for arguments and options, from the index in its current state, without an update.

Values of closed options are offered by click itself.
"""

import os
from collections.abc import Callable, Iterable, Iterator

import click
from click.shell_completion import CompletionItem

from backscroll.cli.settings import Settings
from backscroll.errors import BackscrollError
from backscroll.library import Library, open_library
from backscroll.safe_text import one_line
from backscroll.sessions.session import Session

_MOST = 500

Offer = Callable[[Library], Iterable[CompletionItem]]


def _offered(context: click.Context, incomplete: str, offer: Offer) -> list[CompletionItem]:
    """Return the offered values that start like the word at the cursor; none without an index."""
    settings = context.ensure_object(Settings)
    try:
        with open_library(settings.root, update=False) as library:
            found = {item.value: item for item in offer(library)}
    except BackscrollError:
        return []
    return [item for value, item in found.items() if value.startswith(incomplete)]


def _sessions(library: Library) -> list[Session]:
    return library.list_sessions(limit=_MOST).sessions


def sessions(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:  # noqa: ARG001
    """Return ids of sessions, with their titles."""
    latest = CompletionItem("latest", help="the newest session")
    found = _offered(
        context,
        incomplete,
        lambda library: [
            CompletionItem(one_line(one.id), help=one_line(one.title or "")) for one in _sessions(library)
        ],
    )
    return [*found, *([latest] if "latest".startswith(incomplete) else [])]


def projects(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:  # noqa: ARG001
    """Return projects by the last names of their paths, or by their paths if the word is the beginning of one."""
    is_path = incomplete.startswith(("/", "~", "."))

    def offer(library: Library) -> Iterator[CompletionItem]:
        for path in dict.fromkeys(one.project for one in _sessions(library) if one.project):
            name = one_line(path.replace("\\", "/").rstrip("/").rpartition("/")[2])
            yield CompletionItem(one_line(path) if is_path else name, help=one_line(path))

    return _offered(context, incomplete, offer)


def git_branches(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:  # noqa: ARG001
    """Return the git branches that sessions were held on."""
    return _offered(
        context,
        incomplete,
        lambda library: [CompletionItem(one_line(one.branch)) for one in _sessions(library) if one.branch],
    )


def models(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:  # noqa: ARG001
    """Return the models that sessions used."""
    return _offered(
        context,
        incomplete,
        lambda library: [CompletionItem(one_line(model)) for one in _sessions(library) for model in one.models],
    )


def branches(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:  # noqa: ARG001
    """Return the branches of the session on the command line."""
    name = context.params.get("session") or _first_argument(str(context.info_name))

    def offer(library: Library) -> Iterator[CompletionItem]:
        if name:
            for branch in library.show(name).branches:
                yield CompletionItem(one_line(branch.name), help=one_line(branch.label)[:60])

    return _offered(context, incomplete, offer)


def _first_argument(command: str) -> str | None:
    """Return the first argument of a command on the line: click parses none before an option without its value."""
    words = os.environ.get("COMP_WORDS", "").split()
    behind = words[words.index(command) + 1 :] if command in words else []
    return next((word for word in behind if not word.startswith("-")), None)


def files(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:  # noqa: ARG001
    """Return the files that sessions touched: by name, or by path if the word is the beginning of one."""
    is_path = "/" in incomplete

    def offer(library: Library) -> Iterator[CompletionItem]:
        for path in library.touched_paths(limit=_MOST * 10):
            name = path if is_path else path.replace("\\", "/").rpartition("/")[2]
            yield CompletionItem(one_line(name), help=one_line(path))

    return _offered(context, incomplete, offer)
