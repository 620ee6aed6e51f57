"""Pages of messages: in the order of `show`, at the price of a page."""

import json
from pathlib import Path

import pytest
from make import UUID, Draft, assistant, call, given, home, line, user, write_side, write_transcript

import backscroll
from backscroll.library import Library

FOLDER = f"projects/-home-ann-code-demo/{UUID}/subagents"


def two_agents_at_once(root: Path) -> None:
    """Write a session that starts two agents with one message, and says something afterwards."""
    calls = [call("toolu_second_second", "Agent", prompt="Two"), call("toolu_first_first_fi", "Agent", prompt="One")]
    results = [
        user(f"r{number}", "a1", [given(part["id"])], toolUseResult={"agentId": f"a{number}000000000000000"})
        for number, part in enumerate(calls)
    ]
    records = [user("u1"), assistant("a1", "u1", calls), *results, assistant("a2", "r1", "Both are done.")]
    write_transcript(home(root), "-home-ann-code-demo", UUID, map(line, records))
    for number, part in enumerate(calls):
        said = user("x1", None, part["input"]["prompt"]), assistant("x2", "x1", f"Answer {number}")
        write_side(root, f"{FOLDER}/agent-a{number}000000000000000.jsonl", map(line, said))


@pytest.mark.parametrize("all_branches", [False, True])
@pytest.mark.parametrize("size", [1, 3, 100])
def test_pages_have_the_order_and_depth_of_show(tmp_path: Path, size: int, all_branches: bool) -> None:
    """Pages of any size, put together, are the messages that `show` tells, agents side by side at one depth."""
    two_agents_at_once(tmp_path)
    with backscroll.open(tmp_path) as library:
        shown = [(one.id, one.agent, one.depth) for one in library.show(UUID, all_branches=all_branches).messages]
        total = library.messages(UUID, limit=1, all_branches=all_branches).total
        paged = [
            (one.id, one.agent, one.depth)
            for offset in range(0, total, size)
            for one in library.messages(UUID, offset=offset, limit=size, all_branches=all_branches).messages
        ]

    assert shown == paged
    assert {0, 1} == {depth for *_, depth in shown}


def test_a_page_surrounds_a_message(tmp_path: Path) -> None:
    """The page around a message of an agent counts what stands before it."""
    two_agents_at_once(tmp_path)
    with backscroll.open(tmp_path) as library:
        shown = list(library.show(UUID).messages)
        last = len(shown) - 1
        assert library.messages(UUID, limit=1, around="a2").offset == last
        assert [one.id for one in library.messages(UUID, limit=1, around="a2").messages] == ["a2"]
        assert library.messages(UUID, limit=1, around="x1").offset == [one.id for one in shown].index("x1")


def effort(library: Library, offset: int) -> int:
    """Return the thousands of steps that SQLite takes for a page."""
    steps: list[int] = []
    with library.session(UUID) as (database, _):
        database.set_progress_handler(lambda: steps.append(1), 1000)
    library.messages(UUID, offset=offset, limit=20)
    with library.session(UUID) as (database, _):
        database.set_progress_handler(None, 0)
    return len(steps)


def test_a_page_at_the_end_costs_as_much_as_one_at_the_start(tmp_path: Path) -> None:
    """Only the messages of the page are looked up, wherever it is in a long session."""
    records = (json.dumps(one).encode() + b"\n" for one in _long(3_000))
    write_transcript(home(tmp_path), "-x", UUID, records)
    with backscroll.open(tmp_path) as library:
        assert library.messages(UUID).total == 3_000
        assert effort(library, 2_980) <= 2 * effort(library, 0)


def _long(number: int) -> list[dict[str, object]]:
    said = (assistant if n % 2 else user for n in range(number))
    return [one(f"m{n}", f"m{n - 1}" if n else None) for n, one in enumerate(said)]


def test_a_session_tells_how_it_ends(tmp_path: Path) -> None:
    """It ends in a prompt, an answer, a result, or a call that nothing answered."""
    files = home(tmp_path)
    drafts = {
        "11111111-1111-4111-8111-111111111111": [user("u1")],
        "22222222-2222-4222-8222-222222222222": [user("u1"), assistant("a1", "u1")],
        "33333333-3333-4333-8333-333333333333": [user("u1"), assistant("a1", "u1", [call("toolu_x", "Bash")])],
        "44444444-4444-4444-8444-444444444444": [
            user("u1"), assistant("a1", "u1", [call("toolu_y", "Bash")]), user("r1", "a1", [given("toolu_y")]),
        ],
        "55555555-5555-4555-8555-555555555555": [
            user("u1"), assistant("a1", "u1", [call("toolu_z", "Bash")]), user("u2", "a1", "Never mind"),
        ],
    }  # fmt: skip
    for name, records in drafts.items():
        write_transcript(files, "-x", name, map(line, records))
    with backscroll.open(tmp_path) as library:
        found = {one.id[0]: (one.ends_in, one.open_call) for one in library.list_sessions().sessions}
        grown = files / f".claude/projects/-x/{[*drafts][2]}.jsonl"
        grown.write_bytes(grown.read_bytes() + line(user("r1", "a1", [given("toolu_x")])))
        later = library.list_sessions(limit=None).sessions

    ends = {"1": "prompt", "2": "answer", "4": "result", "5": "prompt"}
    assert {name: (how, None) for name, how in ends.items()} | {"3": ("call", "Bash")} == found
    assert ("result", None) == next((one.ends_in, one.open_call) for one in later if one.id[0] == "3")


def test_a_list_has_pages_and_fields(tmp_path: Path) -> None:
    """`offset` leaves out the first sessions, in every order."""
    for number in range(5):
        name = f"{number}1111111-1111-4111-8111-111111111111"
        Draft(name).prompt(f"Title {number}").write(home(tmp_path), key="-x")
    with backscroll.open(tmp_path) as library:
        for sort in ("updated", "title"):
            every = [one.id for one in library.list_sessions(sort=sort).sessions]
            page = library.list_sessions(sort=sort, offset=1, limit=2)
            assert (page.total, [one.id for one in page.sessions]) == (5, every[1:3])
            assert library.list_sessions(sort=sort, offset=3, limit=None).sessions[0].id == every[3]
