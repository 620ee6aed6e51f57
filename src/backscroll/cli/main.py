"""The `backscroll` command: find the command that is meant, run it, and turn whatever happens into an exit code.

Nothing but click is imported before a command is known.  Commands return their exit code.
Errors go to standard error as what, where and what to do; their exit codes stand in `errors.ANSWERS`.
"""

import os
import sys
import warnings
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from typing import NoReturn

import click

from backscroll.cli.options import Settings, examples, reading
from backscroll.errors import DONE, INTERRUPTED, BackscrollError, answer_for
from backscroll.scrub import printable
from backscroll.version import __version__

INTERNAL_ERROR = 70
"""What sysexits.h calls EX_SOFTWARE: a fault of ours, which no other code must be mistaken for."""

COMMANDS: dict[str, tuple[str, str]] = {
    "overview": ("overview", "Show what was found, what is new and what expires soon."),
    "stores": ("stores", "Show which stores were found, and where."),
    "list": ("list_sessions", "List sessions, newest first."),
    "show": ("show", "Show one session, message by message."),
    "outline": ("outline", "Show the landmarks of a session: prompts, errors, file changes and more."),
    "tree": ("tree", "Show the branches, forks, compactions and agents of a session."),
    "search": ("search", "Search everything that was ever said."),
    "watch": ("watch", "Follow sessions as they are written."),
    "calls": ("calls", "Show tool calls with their results."),
    "files": ("files", "List the files that sessions touched, with their versions."),
    "recover": ("recover", "Give back any version of a file."),
    "usage": ("usage", "Show tokens and cost, each API message counted once."),
    "tools": ("tools", "Show how often each tool was called, and how that ended."),
    "worktrees": ("worktrees", "Show the git worktrees that Claude Desktop made for sessions."),
    "flags": ("flags", "Show the feature flags that Claude Code last heard of."),
    "storage": ("storage", "Show what Claude Desktop's pages keep in its browser storage."),
    "accounts": ("accounts", "Show the accounts that are known here, and who is signed in."),
    "cowork": ("cowork", "Show Cowork's manifests: all fields, files, permissions and runs."),
    "drift": ("drift", "Show which types of records and fields are on the disk, unknown ones first."),
    "index": ("index", "Bring the index up to date, or make it anew."),
    "demo": ("demo", "Write a small made-up home directory to try things on."),
    "completion": ("completion", "Print the completion script for your shell."),
}
"""Each command's module and the first sentence of its help, so that the list of commands loads none of them."""


class Commands(click.Group):
    """The commands, each loaded when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  (click's signature)
        """Return the names of all commands."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Load one command."""
        if cmd_name not in COMMANDS:
            return None
        module = import_module(f"backscroll.cli.{COMMANDS[cmd_name][0]}")
        command: click.Command = module.command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that is meant, or say which one could be."""
        if args and not args[0].startswith("-") and args[0] not in COMMANDS:
            from difflib import get_close_matches  # noqa: PLC0415  (5 ms, and only a slip needs it)

            near = get_close_matches(args[0], COMMANDS, 1)
            hint = f" Did you mean '{near[0]}'?" if near else f" Try '{ctx.command_path} --help'."
            raise click.UsageError(f"No such command '{args[0]}'.{hint}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write the list of commands."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, sentence) for name, (_, sentence) in COMMANDS.items()])


@examples(
    "backscroll                       what is there",
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
    """Read everything that Claude Code leaves on this machine.

    Reads only; nothing leaves the machine. Without a command: an overview.
    """
    if context.invoked_subcommand is not None:
        return None
    return int(context.invoke(import_module("backscroll.cli.overview").command))


def main() -> NoReturn:
    """Run the command line of this process, and end it at once: everything of ours is closed by then.

    Python would take 250 modules apart first, which costs as much as starting it.
    """
    code = run(sys.argv[1:])
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:  # given up, or never there
            with suppress(OSError):
                stream.flush()
    os._exit(code)


def run(arguments: Sequence[str]) -> int:
    """Run one command and return its exit code; nothing but a fault of the interpreter gets past."""
    try:
        return _run(list(arguments))
    except click.exceptions.Exit as ending:
        return ending.exit_code
    except BrokenPipeError:
        _give_up_stdout()
        return DONE
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001  (the outer edge: the user gets a sentence)
        if os.environ.get("BACKSCROLL_DEBUG"):
            sys.excepthook(type(error), error, error.__traceback__)
        message, code = _verdict(error)
        return _fail(message, code)


def _verdict(error: BaseException) -> tuple[str, int]:
    """Return what to say of an error, and the exit code that goes with it."""
    if isinstance(error, BackscrollError):
        return _message(error), answer_for(error).exit_code
    if isinstance(error, click.UsageError) and error.ctx is not None:
        hint = "\n  An ID that begins with a dash stands after --." if isinstance(error, click.NoSuchOption) else ""
        return f"{error.format_message()}\n  {error.ctx.get_usage()}{hint}", error.exit_code
    if isinstance(error, click.ClickException):
        return error.format_message(), error.exit_code
    if isinstance(error, KeyboardInterrupt | click.Abort):
        return "interrupted", INTERRUPTED
    remedy = "Please report this; BACKSCROLL_DEBUG=1 shows where it happened."
    return f"internal error: {type(error).__name__}: {error}\n  {remedy}", INTERNAL_ERROR


def _run(arguments: list[str]) -> int:
    if instruction := os.environ.get("_BACKSCROLL_COMPLETE"):
        completion = import_module("click.shell_completion")
        return int(completion.shell_complete(cli, {}, "backscroll", "_BACKSCROLL_COMPLETE", instruction))
    warnings.showwarning = _warn  # type: ignore[assignment]
    with cli.make_context("backscroll", arguments, obj=Settings()) as context:
        code = cli.invoke(context)
    sys.stdout.flush()
    return code if isinstance(code, int) else DONE


def _message(error: BackscrollError) -> str:
    """Return `what: where`, and what to do on a line of its own."""
    text = error.what if error.where is None else f"{error.what}: {error.where}"
    return text if error.remedy is None else f"{text}\n  {error.remedy}"


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
    """Let what is still unwritten go nowhere, so that the interpreter's own flush at the end has no complaint."""
    sys.stdout = None
