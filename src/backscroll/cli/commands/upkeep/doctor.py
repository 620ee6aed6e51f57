"""`backscroll doctor`: losses and risks, each with its proof and the command that helps."""

import click

from backscroll.cli.completion import complete_session
from backscroll.cli.lazy_views import doctor as view
from backscroll.cli.lazy_views import terminal
from backscroll.cli.library import opened
from backscroll.cli.options import closed, examples, reading
from backscroll.cli.output import print_document
from backscroll.cli.settings import Settings
from backscroll.errors import DAMAGE_MET, DONE, REFUSED, QueryError
from backscroll.health.model import KINDS


@examples(
    "backscroll doctor",
    "backscroll doctor --session latest",
    "backscroll doctor --kind expiring",
    "backscroll doctor --fix          the plan",
    "backscroll doctor --fix --apply  act",
)
@click.command("doctor")
@click.option("--session", metavar="ID", shell_complete=complete_session, help="Check one session only.")
@click.option("--kind", type=closed(KINDS), metavar="KIND", help=f"Show one kind only: {', '.join(KINDS)}.")
@click.option("--fix", is_flag=True, help="Plan repairs: repaired copies under new ids, rows rebuilt from transcripts.")
@click.option("--apply", "is_apply", is_flag=True, help="Carry out the plan of --fix.")
@reading
@click.pass_obj
def command(settings: Settings, *, session: str | None, kind: str | None, fix: bool, is_apply: bool) -> int:
    """Find lost and damaged sessions and sessions at risk, and show the command that helps.

    It changes nothing without --fix --apply. With --strict it exits with 3 if it finds an error or a warning.
    The checks for secrets and unknown records read a sample; --kind secrets and --kind drift read everything.
    """
    if is_apply and not fix:
        raise QueryError("--apply needs --fix", remedy="Use doctor --fix --apply.")
    with opened(settings) as library:
        report = library.doctor(session, kind=kind, program=settings.command)
        plan = library.doctor_fix(session, kind=kind, apply=is_apply) if fix else None
    if settings.json:
        print_document(view.doctor_document(report, plan))
    elif plan is not None:
        terminal.print_lines(view.fix_report(plan, terminal.make_paper(settings)), settings)
    else:
        most = None if session or kind else view.MOST
        terminal.print_lines(view.doctor_report(report, terminal.make_paper(settings), most), settings)
    if plan is not None and plan.is_refused:
        return REFUSED
    is_bad = any(item.severity != "note" for item in report.findings)
    is_said = settings.damage > 0  # this command reports damage itself, and exits with 3
    return DAMAGE_MET if settings.strict and is_bad and not is_said else DONE
