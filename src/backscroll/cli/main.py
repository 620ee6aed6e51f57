"""The `backscroll` command: find the requested command, run it, and turn its outcome into an exit code.

Nothing but click is imported before a command is known.  Commands return their exit code.
Errors go to standard error as fact, place and remedy; `errors.ANSWERS` has their exit codes.
"""

import os
import re
import sys
import warnings
from collections.abc import Sequence
from importlib import import_module

import click

from backscroll.cli.options import examples, reading
from backscroll.cli.output import with_damage
from backscroll.cli.settings import Settings
from backscroll.errors import DONE, INTERRUPTED, BackscrollError, answer_for
from backscroll.safe_text import printable
from backscroll.version import __version__

INTERNAL_ERROR = 70
"""EX_SOFTWARE of sysexits.h: a bug of ours; no other error has this code."""

COMMANDS: dict[str, tuple[str, str]] = {
    "overview": ("sessions.overview", "Show the stores, the newest sessions, and the sessions that expire soon."),
    "stores": ("upkeep.stores", "Show the stores that were found, and their paths."),
    "list": ("sessions.list_sessions", "List sessions, newest first."),
    "show": ("sessions.show", "Show one session, message by message."),
    "outline": ("sessions.outline", "Show the landmarks of a session: prompts, errors, file changes and more."),
    "tree": ("sessions.tree", "Show the branches, forks, compactions and agents of a session."),
    "search": ("sessions.search", "Search the full text of all sessions."),
    "resume": ("sessions.resume", "Resume a session in Claude Code, in the directory where it ran."),
    "watch": ("sessions.watch", "Follow sessions as they are written."),
    "calls": ("sessions.calls", "Show tool calls with their results, in time order."),
    "files": ("files.files", "List the files that sessions touched, with their versions."),
    "recover": ("files.recover", "Recover any version of a file."),
    "blame": ("files.blame", "Show which session wrote each line of a file, and when."),
    "share": ("sharing.share", "Write sessions to files for other people, without secrets."),
    "export": ("sharing.export", "Write all sessions as a static site: a page for each, a list and a search."),
    "usage": ("usage.usage", "Show tokens and cost, each API message counted once."),
    "statusline": ("usage.statusline", "Print one line for Claude Code's status line."),
    "tools": ("usage.tools", "Show how often each tool was called, and how often it failed."),
    "worktrees": ("desktop.worktrees", "Show the git worktrees that Claude Desktop made for sessions."),
    "flags": ("desktop.flags", "Show the feature flags that Claude Code last received."),
    "storage": ("desktop.storage", "Show the browser storage of Claude Desktop's pages."),
    "accounts": ("desktop.accounts", "Show the known accounts, and the one that is signed in."),
    "cowork": ("desktop.cowork", "Show Cowork's manifests: all fields, files, permissions and runs."),
    "transfer": (
        "move.transfer",
        "Continue sessions in another directory, account or machine; every change can be undone.",
    ),
    "doctor": (
        "upkeep.doctor",
        "Find lost and damaged sessions and sessions at risk, and show the command that helps.",
    ),
    "drift": ("upkeep.drift", "Show the record types and fields on the disk, unknown ones first."),
    "archive": ("keep.archive", "Keep a verified copy of everything, and read it after the original is deleted."),
    "redact": ("upkeep.redact", "Find secrets in a session, a file or standard input, or write a clean copy."),
    "index": ("upkeep.index", "Update the index, or rebuild it."),
    "web": ("upkeep.web", "Show everything on a local web page."),
    "demo": ("upkeep.demo", "Write a small made-up home directory to try things on."),
    "help": ("upkeep.help", "Show the help of a command, or of all."),
    "completion": ("upkeep.completion", "Print the completion script for your shell."),
}
"""Each command's module and the first sentence of its help, so that the list of commands loads none of them."""

SECTIONS: dict[str, tuple[str, ...]] = {
    "Find and read": ("overview", "list", "search", "show", "outline", "tree", "calls", "watch", "resume", "web"),
    "Files": ("files", "recover", "blame"),
    "Cost": ("usage", "tools", "statusline"),
    "Keep, move and share": ("archive", "transfer", "share", "export", "redact", "doctor"),
    "Claude Desktop": ("accounts", "cowork", "worktrees", "storage", "flags"),
    "The tool itself": ("stores", "index", "drift", "demo", "completion", "help"),
}
"""The sections of `backscroll --help`; each command is in one of them."""


class Commands(click.Group):
    """The commands, each loaded when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  (click's signature)
        """Return the names of all commands."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Load one command."""
        if cmd_name not in COMMANDS:
            return None
        module = import_module(f"backscroll.cli.commands.{COMMANDS[cmd_name][0]}")
        command: click.Command = module.command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the requested command, or suggest a similar one."""
        if args and not args[0].startswith("-") and args[0] not in COMMANDS:
            from difflib import get_close_matches  # noqa: PLC0415  (5 ms, and only a slip needs it)

            near = get_close_matches(args[0], COMMANDS, 1)
            hint = f" Did you mean '{near[0]}'?" if near else f" Try '{ctx.command_path} --help'."
            raise click.UsageError(f"No such command '{args[0]}'.{hint}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write the list of commands, section by section."""
        width = max(map(len, COMMANDS))
        for title, names in SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(width), COMMANDS[name][1]) for name in names])


@examples(
    "backscroll                       an overview",
    "backscroll list --project shop   the sessions of one project",
    "backscroll show latest           read the newest session",
    "backscroll search deadlock pool  find it again",
    "backscroll --root /mnt/old list  the sessions of another disk",
)
@click.command(
    cls=Commands,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="backscroll", message="%(prog)s %(version)s")
@reading
@click.pass_context
def cli(context: click.Context) -> int | None:
    """Read everything that Claude leaves on this machine.

    Nothing leaves the machine. Claude's files change only with --apply, and by
    `transfer undo`. Without a command, it shows an overview.
    """
    if context.invoked_subcommand is not None:
        return None
    return int(context.invoke(import_module("backscroll.cli.commands.sessions.overview").command))


def run(arguments: Sequence[str]) -> int:
    """Run one command and return its exit code; catch every exception."""
    settings = Settings()
    try:
        return _run(list(arguments), settings)
    except click.exceptions.Exit as ending:
        return ending.exit_code
    except BrokenPipeError:
        _give_up_stdout()
        return DONE
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001  (the outer edge: the user gets a sentence)
        if os.environ.get("BACKSCROLL_DEBUG"):
            sys.excepthook(type(error), error, error.__traceback__)
        message, code = _verdict(error)
        return _fail(_with_root(message, settings), code)


def _verdict(error: BaseException) -> tuple[str, int]:
    """Return the message for an error, and its exit code."""
    if isinstance(error, BackscrollError):
        return _message(error), answer_for(error).exit_code
    if isinstance(error, click.UsageError) and error.ctx is not None:
        hint = "\n  Put an ID that starts with a dash after `--`." if isinstance(error, click.NoSuchOption) else ""
        return f"{error.format_message()}\n  {error.ctx.get_usage()}{hint}", error.exit_code
    if isinstance(error, click.ClickException):
        return error.format_message(), error.exit_code
    if isinstance(error, KeyboardInterrupt | click.Abort):
        return "interrupted", INTERRUPTED
    remedy = "Please report this; BACKSCROLL_DEBUG=1 shows where it happened."
    return f"internal error: {type(error).__name__}: {error}\n  {remedy}", INTERNAL_ERROR


def _run(arguments: list[str], settings: Settings) -> int:
    if instruction := os.environ.get("_BACKSCROLL_COMPLETE"):
        completion = import_module("click.shell_completion")
        return int(completion.shell_complete(cli, {}, "backscroll", "_BACKSCROLL_COMPLETE", instruction))
    warnings.showwarning = _warn  # type: ignore[assignment]
    with cli.make_context("backscroll", arguments, obj=settings) as context:
        code = cli.invoke(context)
    sys.stdout.flush()
    return with_damage(code if isinstance(code, int) else DONE, settings)


def _message(error: BackscrollError) -> str:
    """Return fact and place of an error on one line, and the remedy on the next."""
    text = error.what if error.where is None else f"{error.what}: {error.where}"
    return text if error.remedy is None else f"{text}\n  {error.remedy}"


def _with_root(message: str, settings: Settings) -> str:
    """Return a message whose commands name the given root, so that they can be pasted."""
    if settings.root is None:
        return message
    return re.sub(rf"backscroll(?= (?:{'|'.join(COMMANDS)})\b)", lambda _: settings.command, message)


def _warn(message: Warning | str, *_: object) -> None:
    sys.stderr.write(f"backscroll: {printable(str(message))}\n")


def _fail(message: str, code: int) -> int:
    try:
        sys.stdout.flush()
        sys.stderr.write(f"backscroll: {printable(message)}\n")
    except BrokenPipeError:
        _give_up_stdout()
    return code


def _give_up_stdout() -> None:
    """Discard unwritten output, so that the interpreter's own flush at the end raises nothing."""
    sys.stdout = None
