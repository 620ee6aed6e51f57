"""Tables of sessions and stores."""

from views import samples
from views.samples import paper, session, store, text_of

from backscroll.sessions.session import Usage
from backscroll.views.terminal import listing


def test_list_fits_a_terminal() -> None:
    """At 80 columns a session is its id, its age, its project, its title and its size."""
    sessions = [session(), session(id="completed", title=None, cwd="C:\\work\\web", updated=None)]

    assert text_of(listing.session_list(2, sessions, paper())) == (
        "id        updated     project  title                     messages  cost\n"
        "c9258e92  30 min ago  shop     Fix the flaky login test        42\n"
        "complete              web      (no title)                      42"
    )


def test_list_on_a_pipe_has_everything() -> None:
    """A pipe gets whole ids, times, paths, and every column."""
    shown = text_of(listing.session_list(9, [session()], paper(None)))

    assert shown == (
        "id                                    updated           project        title                     "
        "messages  calls  agents  tokens  cost  model\n"
        "c9258e92-ad74-42f8-b67c-c9186dc46931  2026-05-03 11:30  /home/me/shop  Fix the flaky login test  "
        "      42     31       2   1.2 M        opus-4-1"
    )


def test_list_says_how_many_more_there_are() -> None:
    """On a terminal the last line says how many sessions were left out."""
    assert text_of(listing.session_list(65, [session()], paper())).endswith("1 of 65 sessions; --all shows every one")


def test_an_empty_list_says_so() -> None:
    """Nothing found is a sentence, not an empty screen."""
    assert "No sessions found." == text_of(listing.session_list(0, [], paper()))


def test_states_are_shown_where_they_differ() -> None:
    """A column for the state appears when a session is anything but live."""
    shown = text_of(listing.session_list(2, [session(), session(id="x" * 36, state="ghost")], paper()))

    assert "state" in shown
    assert "ghost" in shown


def test_agents_stand_below_their_session() -> None:
    """Agents are indented, internal ones are called so, and those without a transcript are missing."""
    agents = [samples.agent(), samples.agent(id="b" * 17, is_internal=True, kind="missing", type=None)]
    shown = text_of(listing.session_list(1, [session(state="damaged")], paper(), {samples.ID: agents}))

    assert "└ a0ad4f44  2 h ago     Explore  find all callers" in shown
    assert "└ bbbbbbbb" in shown
    assert "internal: find all ca" in shown
    assert "missing" in shown


def test_short_ids_tell_sessions_apart() -> None:
    """Eight characters are shown, or as many more as are needed."""
    ids = ["c0000000-0001", "c0000000-0002", "abc", "c0000000-0002-more"]

    assert listing.short_ids(ids) == {
        "abc": "abc",
        "c0000000-0001": "c0000000-0001",
        "c0000000-0002": "c0000000-0002",
        "c0000000-0002-more": "c0000000-0002-",
    }


def test_short_ids_of_nothing() -> None:
    """A report may name no session at all."""
    assert {} == listing.short_ids([])


def test_stores_are_a_table_and_their_damage() -> None:
    """Every store has a line, and everything that could not be read follows with place and reason."""
    shown = text_of(listing.store_list([store(damage=[samples.damage()])], paper()))

    assert shown == (
        "store  path                       sessions  files   size  damage\n"
        "code   /home/me/.claude/projects        40     48  31 MB       1\n"
        "\n"
        "Damage in code\n"
        "  /t.jsonl:7 (byte 1200): not JSON"
    )
    assert "No stores found." == text_of(listing.store_list([], paper()))


def test_the_overview_says_what_is_there_and_what_comes_next() -> None:
    """Stores, the latest sessions, what expires with its date, and commands to go on with."""
    expiring = [session(expires=samples.NOW.replace(day=9)), session(id="d" * 9, expires=samples.NOW)]
    shown = text_of(listing.overview([store()], 40, [session()], expiring, paper()))

    assert shown.startswith("40 sessions in 1 store\n")
    for part in ("Latest", "Expires soon", "9 May (in 6 d)", "3 May (overdue)", "backscroll show latest"):
        assert part in shown


def test_the_overview_of_nothing_says_what_to_do() -> None:
    """Where nothing was found the overview names --root and the demo."""
    shown = text_of(listing.overview([], 0, [], [], paper()))

    assert "No files of Claude Code were found here." in shown
    assert "--root" in shown
    assert "demo" in shown


def test_the_home_directory_is_a_tilde() -> None:
    """Paths below the home directory are shown with ~."""
    assert "~/.claude/projects" in text_of(listing.store_list([store()], paper(home="/home/me")))


def test_unknown_tokens_are_not_zero() -> None:
    """A session whose usage is unknown shows no number."""
    assert listing.tokens(Usage()) is None
    assert 5 == listing.tokens(Usage(output=5))


def test_the_offer_to_keep_sessions() -> None:
    """One line names how many sessions expire, and the command; nothing is said if there are none."""
    one, many = ([text_of([line]) for line in listing.keeping_offer(number, paper())] for number in (1, 1200))

    assert ["1 session expires this week; `backscroll archive install` keeps it"] == one
    assert ["1,200 sessions expire this week; `backscroll archive install` keeps them"] == many
    assert [] == list(listing.keeping_offer(0, paper()))


def test_a_narrow_list_has_the_state_before_the_title() -> None:
    """Where the state has no column, a session that is not live has it before its title."""
    sessions = [session(), session(id="x" * 36, state="ghost")]
    shown = text_of(listing.session_list(2, sessions, paper(40)))

    assert "ghost: Fix" in shown
    assert "live: " not in shown
    assert "state" not in shown.splitlines()[0]


def test_the_offer_of_the_archive_can_be_pasted() -> None:
    """Where the sentence does not fit, its command stands whole on a line of its own."""
    narrow = paper(40)._replace(command="backscroll --root /a/very/long/path/to/a/home")

    assert (
        "  backscroll --root /a/very/long/path/to/a/home archive install"
        == text_of(listing.keeping_offer(1, narrow)).splitlines()[-1]
    )
