"""The bench measures, makes homes and reports; how long anything takes is not asserted here."""

import importlib
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from chromium import needs_chromium
from make import Draft, edit, read, write, write_demo_home
from make import home as make_home

import backscroll

BENCH = Path(__file__).parent.parent / "bench"
PROGRAM = Path(sys.executable).with_name("backscroll")
STARTS_ANOTHER = """
import subprocess, sys
subprocess.run([sys.executable, "-c", "x = b'x' * 90_000_000; sum(range(5_000_000))"])
"""
STARTS_SOME = """
import subprocess, sys, threading
word = [sys.executable, "-c", "import time; x = b'x' * 90_000_000; time.sleep(0.7)"]
threads = [threading.Thread(target=subprocess.run, args=[word]) for _ in range(2)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
"""


@pytest.fixture
def module(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Any]:
    """Return a way to get the files of bench as modules."""
    monkeypatch.syspath_prepend(BENCH)
    return importlib.import_module


@pytest.fixture
def bench(module: Callable[[str], Any]) -> Any:
    """Return bench/run.py as a module."""
    return module("run")


@pytest.fixture
def corpora(module: Callable[[str], Any]) -> Any:
    """Return bench/corpora.py as a module."""
    return module("corpora")


@pytest.fixture
def lab(bench: Any, tmp_path: Path) -> Any:
    """Return a laboratory without peers."""
    lab = bench.Lab(PROGRAM, tmp_path, {}, is_quick=True)
    lab.prepare()
    return lab


def measured(bench: Any, code: str, **options: Any) -> Any:
    """Measure a small program."""
    return bench.measure.run([sys.executable, "-c", code], {}, **options)


def figure(bench: Any, who: str, *cpu: float, task: str = "version") -> Any:
    """Return made-up figures of a program at a task."""
    costs = [bench.measure.Cost(seconds, 2 * seconds, 30_000_000) for seconds in cpu]
    return bench.Figure(task, who, f"{who} it", costs)


def part(bench: Any, name: str, *figures: Any, columns: tuple[str, ...] | None = None) -> Any:
    """Return a made-up part."""
    taken = {"when": "2026-11-15 10:00 UTC", "minutes": "1.0", "others": "0.01 of 2 cores", "system": "one"}
    columns = columns or bench.reports.COSTS
    return bench.Part(name, name.title(), "Text.", list(columns), list(figures), taken, {"backscroll": "1 at abc"})


def made_up(bench: Any) -> Any:
    """Return a part with two programs at one task, and one that is absent."""
    made = part(bench, "start", figure(bench, "backscroll", 0.3, 0.1, 0.2), figure(bench, "bare Python", 0.05, 4, 4))
    made.absent = {"third": "not there"}
    return made


@pytest.mark.slow
def test_all_processes_of_a_program_are_measured(bench: Any) -> None:
    """What a program and the processes it starts cost is counted."""
    (alone,), (with_another,) = measured(bench, "pass"), measured(bench, STARTS_ANOTHER)

    assert 0 < alone.cpu < with_another.cpu
    assert 0 < alone.wall < with_another.wall
    assert 1_000_000 < alone.peak < 90_000_000 < with_another.peak


@pytest.mark.slow
def test_processes_that_a_thread_starts_are_measured(bench: Any) -> None:
    """The memory of several processes at one time is summed up, whichever thread started them."""
    (cost,) = measured(bench, STARTS_SOME)

    assert 170_000_000 < cost.peak


def test_a_program_may_measure_itself(bench: Any, tmp_path: Path) -> None:
    """Of a program that measures parts of itself its own account is taken, for each part."""
    code = "print('something'); print([[0.25, 0.5], [1, 2]])"
    costs = measured(bench, code, is_reporting=True, output=tmp_path / "output")

    assert [(0.25, 0.5), (1, 2)] == [(cost.cpu, cost.wall) for cost in costs]


def test_a_program_that_fails_gives_no_figure(bench: Any) -> None:
    """A program that fails is an error with the last thing it said."""
    with pytest.raises(bench.measure.FailedError, match="exit code 3: no such thing"):
        measured(bench, "import sys; sys.stderr.write('no such thing'); sys.exit(3)")


def test_a_program_without_end_is_stopped(bench: Any) -> None:
    """A program that takes too long is stopped, and its time is a lower bound."""
    (cost,) = measured(bench, "import time; time.sleep(60)", timeout=0.2)

    assert cost.is_stopped
    assert 0.2 <= cost.wall < 60


@pytest.mark.parametrize("kind", ["tiny", "own"])
def test_homes_can_be_read(corpora: Any, tmp_path: Path, kind: str) -> None:
    """The homes that the bench makes hold sessions without damage, also after something was appended."""
    home = corpora.Home(kind, tmp_path, "made here")
    if kind == "tiny":
        corpora.write_tiny(home.config, 3)
    else:
        corpora.write_own(home.config, 300_000)
    size = home.sessions[-1].stat().st_size
    corpora.append_kilobyte(home.sessions[-1])
    found = backscroll.list_sessions(tmp_path, limit=None)
    appended = max(found.sessions, key=lambda session: session.updated or datetime.min.replace(tzinfo=UTC))

    assert 1024 == home.sessions[-1].stat().st_size - size
    assert len(home.sessions) == found.total
    assert 0 == sum(session.damage for session in found.sessions)
    assert all(session.messages for session in found.sessions)
    assert 1 == appended.branches


def test_homes_are_the_same_every_time(corpora: Any, tmp_path: Path) -> None:
    """Two homes made by the same rule do not differ."""
    for name in ("one", "other"):
        corpora.write_own(tmp_path / name, 50_000)
    one, other = (sorted((tmp_path / name).rglob("*.jsonl")) for name in ("one", "other"))

    assert [path.read_bytes() for path in one] == [path.read_bytes() for path in other]


def test_a_task_is_run_in_turn(bench: Any, lab: Any) -> None:
    """Every case of a task gets its runs; one that fails keeps the reason and disturbs nobody."""
    home, calls = lab.scratch / "empty", []
    good = bench.Case("task", "good", "pass", [sys.executable, "-c", "pass"], home, 2)
    good.before = lambda: calls.append("before")
    bad = bench.Case("task", "bad", "exit", [sys.executable, "-c", "raise SystemExit(9)"], home)
    done, failed = bench.run_task([good, bad], lab, time.monotonic() + 60)

    assert 2 == len(done.costs) == len(calls)
    assert ("", "exit code 9: ") == (done.failure, failed.failure)
    assert [] == failed.costs


def test_each_run_asks_another_question(bench: Any, lab: Any) -> None:
    """The questions of a case are asked in turn, and what it says at last can be told as facts."""
    command = [sys.executable, "-c", "import sys; print(sys.argv[1])"]
    case = bench.Case("task", "one", "ask", command, lab.scratch / "empty", 3, questions=["first", "second"])
    case.facts = lambda output, figure: {"said": output.strip(), "runs": len(figure.costs)}
    (done,) = bench.run_task([case], lab, time.monotonic() + 60)

    assert {"said": "first", "runs": 3} == done.facts


def test_facts_that_cannot_be_read_are_a_failure(bench: Any, lab: Any) -> None:
    """A program that answers in another way than expected is reported, and stops nothing."""
    case = bench.Case("task", "one", "ask", [sys.executable, "-c", "pass"], lab.scratch / "empty", 1)
    case.facts = lambda output, _: {"first": output.splitlines()[0]}
    (done,) = bench.run_task([case], lab, time.monotonic() + 60)

    assert (1, "its answer could not be read: IndexError") == (len(done.costs), done.failure)


@pytest.mark.slow
def test_everything_is_measured_without_peers(bench: Any, lab: Any) -> None:
    """The sections about small things run to their end without any peer, and every case gives a figure."""
    small = {name: bench.SECTIONS[name] for name in ("start", "small_home")}
    parts = list(bench.bench(lab, small, "none"))

    assert ["Start", "A small home"] == [made.title for made in parts]
    assert [] == [item.failure for made in parts for item in made.figures if not item.costs]
    assert 10 == len(bench.goals(parts))


def test_sections_are_chosen(bench: Any) -> None:
    """The large home is measured only when it is asked for, or one of its sections is named."""
    assert [*bench.SECTIONS] == [*bench.chosen([], large=False)]
    assert [*bench.SECTIONS, *bench.LARGE] == [*bench.chosen([], large=True)]
    assert ["start", "update_L"] == [*bench.chosen(["update_L", "start"], large=False)]


def test_newer_figures_replace_older_ones(bench: Any) -> None:
    """What is measured again takes the place of what was kept; the rest stays, in the order of the sections."""
    older = [part(bench, "start"), part(bench, "update_L")]
    newer = [part(bench, "usage"), part(bench, "start", figure(bench, "backscroll", 1))]
    kept = bench.merged(older, newer)

    assert ["start", "usage", "update_L"] == [made.name for made in kept]
    assert 1 == len(kept[0].figures)


def test_figures_survive_storing(bench: Any) -> None:
    """Parts that were written as JSON and read back are the same."""
    made = made_up(bench)
    made.figures[0].facts = {"MB/s": 1.5, "found": "3 of 4"}
    made.figures[1].costs[0].cpu = None

    assert [made] == bench.reports.load(bench.reports.dump([made]))


def test_page_holds_medians_and_ratios(bench: Any) -> None:
    """The page gives medians, what others need as a ratio to ours, when it was taken, and who is absent."""
    parts = [made_up(bench)]
    page = bench.reports.markdown(parts, bench.goals(parts), {"pictures/one.svg": "Bars"})

    assert "| version | backscroll | 200 ms | 100 ms | 400 ms | 30 MB | 3 |  | `backscroll it` |  |" in page
    assert "|  | bare Python | 4.00 s | 50 ms | 8.00 s | 30 MB | 3 | 20 x | `bare Python it` |  |" in page
    assert "| `--version` takes at most twice the CPU of bare Python | 0.05 x (200 ms and 4.00 s) | yes |" in page
    assert "Taken 2026-11-15 10:00 UTC in 1.0 minutes with backscroll 1 at abc" in page
    assert "third (not there)" in page
    assert "![Bars](pictures/one.svg)" in page


def test_another_machine_is_named(bench: Any) -> None:
    """A section that was measured elsewhere than the newest one says so."""
    parts = [part(bench, "start"), part(bench, "usage")]
    parts[0].taken |= {"when": "2026-01-01 10:00 UTC", "system": "another"}
    page = bench.reports.markdown(parts, [], {})

    assert "| system | one |" in page
    assert 1 == page.count("Another machine than above: another.")


def test_worst_of_a_hundred(bench: Any) -> None:
    """The 99th of 100 values is taken, and of fewer the worst."""
    hundred = figure(bench, "backscroll", *range(1, 101))
    few = figure(bench, "backscroll", *range(1, 51))

    assert (99, 50) == (hundred.worst("cpu"), few.worst("cpu"))


def test_goals_of_search_are_those_of_the_slowest_kind(bench: Any) -> None:
    """One kind of question that takes too long, or finds nothing once, means that the goal is not met."""
    quick, slow = figure(bench, "backscroll", 0.1, task="rare"), figure(bench, "backscroll", 0.13, task="common")
    missed = figure(bench, "backscroll", 0.1, task="phrase")
    missed.failure = "exit code 1"
    met, too_slow, not_found = (
        bench.goals([part(bench, "search_cold_M", *figures)])[0].is_met
        for figures in ([quick], [quick, slow], [quick, missed])
    )

    assert (True, False, False) == (met, too_slow, not_found)


def test_goals_name_the_versions_that_they_compare(bench: Any) -> None:
    """Figures of two sizes that were taken with different versions are compared with a remark."""
    parts = [part(bench, f"update_{size}", figure(bench, "backscroll", 1, task="1 KB more")) for size in "ML"]
    (same,) = bench.goals(parts)
    parts[1].versions = {"backscroll": "2 at def"}
    (other,) = bench.goals(parts)

    assert "1.00 s at 300 MB, 1.00 s at 2 GB" == same.figure
    assert "1.00 s at 300 MB, 1.00 s at 2 GB; measured with 1 at abc and 2 at def" == other.figure


def test_pictures_need_nothing_else(bench: Any) -> None:
    """Pictures are whole SVG documents without a reference to anything outside of them."""
    ((_, drawing),) = bench.draw([made_up(bench)]).values()
    elements = list(ET.fromstring(drawing).iter())  # noqa: S314 - our own drawing

    assert {"svg", "style", "rect", "text"} == {element.tag.rpartition("}")[2] for element in elements}
    assert not [name for element in elements for name in element.attrib if "href" in name]
    assert "url(" not in drawing


def test_a_peer_that_cannot_be_had_is_absent(
    module: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A peer that cannot be installed is reported with the reason, and so is one that needs it."""
    peers = module("peers")
    monkeypatch.setattr(peers, "PLACES", tmp_path)
    absent = peers.from_npm("codeburn", peers.Peer("node", Path("/usr/bin/false")), print)

    assert "codeburn@0.9.15 could not be installed (CalledProcessError)" == absent.absent
    assert absent.absent == peers.from_npm("ccusage", absent, print).absent


@pytest.fixture
def demo(corpora: Any, tmp_path: Path) -> Any:
    """Return the demo home as the bench sees it."""
    write_demo_home(tmp_path / "demo")
    return corpora.Home("demo", tmp_path / "demo", "made here")


def test_questions_have_answers(module: Callable[[str], Any], demo: Any) -> None:
    """Every question that is drawn from a home finds something there."""
    drawn = module("texts").questions(demo, 5)
    with backscroll.search_index(demo.path) as search:
        unanswered = [
            asked
            for kind, questions in drawn.items()
            if kind in {"a rare word", "a common word, best 20", "a phrase", "two letters, as one types"}
            for asked in questions
            if not search(asked).hits
        ]

    assert {5} == {len(questions) for questions in drawn.values()}
    assert [] == unanswered


def test_brute_force_agrees_with_the_search(module: Callable[[str], Any], demo: Any) -> None:
    """What the bench finds by looking at everything is what the search finds, and a lack of it is counted."""
    completing = module("completing")
    said, everything = completing.look(demo), backscroll.Options(all_hits=True, limit=1000)
    with backscroll.search_index(demo.path) as search:
        found = {word: [hit.message for hit in search(f'"{word}"', everything).hits] for word in said.holders}
    whole = completing.compared(found, said)
    word = max(found, key=lambda word: len(found[word]))
    less = completing.compared(found | {word: found[word][1:]}, said)

    assert (0, 0) == (whole["missing"], whole["wrong"])
    assert (whole["messages found"] - 1, 1) == (less["messages found"], less["missing"])


def test_records_judge_what_was_given_back(module: Callable[[str], Any], corpora: Any, tmp_path: Path) -> None:
    """What a file must hold is its last whole text, and unknown after anything that the records do not show."""
    draft = Draft("99999999-1111-4111-8111-111111111111")
    draft.prompt("Go").answer("On it", calls=[write("/a/new.py", "one\n"), edit("/a/old.py", "x = 1\n", "x", "y")])
    draft.prompt("More").answer("Done", calls=[write("/a/read.py", "two\n"), read("/a/read.py", "else\n")])
    draft.prompt("So").answer("Done", calls=[write("/a/part.py", "two\n"), read("/a/part.py", "else\n", start=3)])
    draft.write(tmp_path)
    recovering = module("recovering")
    truth = recovering.last_texts(corpora.Home("made", tmp_path, "made here"))
    right, wrong = tmp_path / "right", tmp_path / "wrong"
    right.write_bytes(b"one\r\n")
    wrong.write_bytes(b"x = 1\n")
    known = {path: text for path, text in truth.items() if text is not None}
    judged = recovering.judged({"/a/new.py": right, "/a/old.py": wrong}, known)

    assert {"/a/new.py": "one\n", "/a/old.py": "y = 1\n", "/a/read.py": "else\n", "/a/part.py": None} == truth
    assert {"given back": 2, "right": 1, "wrong": 1, "missing": 1} == judged


# The web page


def test_keys_get_their_answers_and_paints(module: Callable[[str], Any]) -> None:
    """Of each key the last answer and the first paint after it count; a key that asked nothing has none."""
    visiting = module("visiting")
    answers = [visiting.Load("u", begun, ended, 1, 1) for begun, ended in ((110, 130), (112, 150), (320, 340))]
    found = visiting.delays([100, 200, 300], answers, [120, 155, 160, 345])

    assert [(50, 55), None, (40, 45)] == found


def test_bytes_are_those_that_were_there(module: Callable[[str], Any]) -> None:
    """Bytes are summed up to a moment; data is not code."""
    visiting = module("visiting")
    code = visiting.Load("http://one/app.js", 0, 10, 5000, 20_000)
    data = visiting.Load("http://one/api/list?limit=1", 5, 20, 2000, 3000)
    late = visiting.Load("http://one/part.js", 5, 30, 1000, 1000)

    assert {"KB sent": 7, "code KB": 5, "KB unpacked": 23} == visiting.sent([code, data, late], 20)
    assert 8 == visiting.sent([code, data, late])["KB sent"]


def test_last_words_of_a_session_are_on_its_page(module: Callable[[str], Any], demo: Any) -> None:
    """The words that end a jump are said in the last answer, and the words that are typed are found."""
    webpages = module("webpages")
    words = webpages.last_words(demo.sessions[-1])
    with backscroll.search_index(demo.path) as search:
        found = [bool(search(word).hits) for word in (*webpages.typed_words(demo), f'"{words}"')]

    assert 4 == len(words.split())
    assert all(found)


def test_a_page_behind_the_other_says_where(bench: Any) -> None:
    """The goals of the page compare each figure with agentsview's, and name those that are behind."""
    visiting = bench.goals.__globals__["LOAD"]
    ours, theirs = figure(bench, "backscroll", 1, task=visiting), figure(bench, "agentsview", 1, task=visiting)
    ours.facts = {"first paint": 0.2, "KB sent": 60.0, "elsewhere": 0, "memory": 50_000_000}
    theirs.facts = {"first paint": 0.3, "KB sent": 59.0, "elsewhere": 1, "memory": 60_000_000}
    (goal,) = bench.goals([part(bench, "web_M", ours, theirs)])
    ours.failure = "TimeoutError"
    (failed,) = bench.goals([part(bench, "web_M", ours, theirs)])

    assert not goal.is_met
    assert f"ahead in 3 of 4; behind in {visiting}: KB sent 60, theirs 59" == goal.figure
    assert f"ahead in 0 of 1; behind in {visiting}: ours came to no end" == failed.figure


@pytest.mark.slow
@needs_chromium
@pytest.mark.parametrize("task", ["LOAD", "TYPE", "JUMP"])
def test_a_visit_tells_its_figures(bench: Any, module: Callable[[str], Any], lab: Any, demo: Any, task: str) -> None:
    """A visit to our page in a real Chromium lists sessions, answers each letter and reaches the end."""
    visiting, webpages = module("visiting"), module("webpages")
    lab.homes["S"] = demo
    cases = [case for case in webpages.webpages(lab, "S").cases if case.task == getattr(visiting, task)]
    (done,) = bench.run_task(cases, lab, time.monotonic() + 600)

    assert "" == done.failure
    assert 0 == done.facts["elsewhere"]
    assert done.facts.get("listed", 1)
    assert done.facts.get("listed", 1)
    assert not done.facts.get("unanswered")
    assert 10_000_000 < done.facts["memory"]


def test_texts_of_pages_are_held_against_the_transcripts(
    module: Callable[[str], Any], corpora: Any, tmp_path: Path
) -> None:
    """Words in a row are drawn from each kind of text, and found in a page behind tags and entities."""
    sharing = module("sharing")
    draft = Draft("11111111-1111-4111-8111-111111111111", "/home/x/shop").prompt(
        "please count the green apples & pears"
    )
    draft.answer("there are seven of them here", thinking="nobody knows the number").write(make_home(tmp_path))
    drawn = sharing.drawn(corpora.Home("one", tmp_path, "made here"))
    seen = sharing.visible("<p>please <b>count</b> the\ngreen apples</p><style>seven of</style>")

    assert ["please count the green apples"] == [text for text in drawn["text"] if "apples" in text]
    assert ["nobody knows the number"] == drawn["thinking"]
    assert "50%" == sharing._share(drawn["text"], seen)
