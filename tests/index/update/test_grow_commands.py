"""Homes that grow, shrink and change at random: every command answers as it does on an index made at once."""

import json
import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from chance import rounds
from command import run
from families import written
from make import Draft, bash, edit, home, write

import backscroll

BY_WORDS = (
    ("alpha",),
    ("beta", "--all-hits"),
    ("roof", "--session", "00000002"),
    ("roof", "--project", "barn", "--all-hits"),
    ("door branch:main", "--all-hits"),
)
"""Searches whose scores follow from the number of messages with a word."""
SEARCHES = (
    ("gamma", "--sort", "time"),
    *((*words, "--sort", "time") for words in BY_WORDS),
    ("kind:title",),
    ("role:user", "--all-hits", "--limit", "200"),
    ("tool:bash", "--counts", "day"),
    ("r*",),
    ("o", "--exact", "--all-hits"),
)


def name(number: int) -> str:
    """Return the id of a session."""
    return f"{number:08}-0000-4000-8000-000000000000"


def parents() -> list[Draft]:
    """Return a session that was left, resumed, interrupted and rewound, and one with agents."""
    first = Draft(name(1), "/w/house", version="2.1.326").prompt("alpha roof").answer("beta", calls=[bash("ls", "a")])
    tip = first.tip
    first.command("exit", output="Bye!")
    first.tip = tip
    first.prompt("gamma door").answer(
        calls=[write("/w/house/a.py", "one\n"), edit("/w/house/a.py", "one\n", "one", "x")]
    )
    first.prompt("Implement the following plan: roof", planContent="roof").answer(
        "Planned", calls=[bash("rm a.py", "")]
    )
    agents = Draft(name(7), "/w/barn").prompt("alpha roof")
    agents.join(agents.agent("beta", "gamma").answer(calls=[write("/w/barn/b.py", "two\n")]), "Joined")
    agents.rewind(to=1).prompt("roof again").answer("door").title("beta title").prompt("gamma").answer("omega")
    return [first, agents]


def family() -> list[Draft]:
    """Return sessions that are forks of one another in every way, with titles that they give each other."""
    first, agents = parents()
    plain = first.fork(name(2), style="plain").prompt("beta window").answer("roof", calls=[bash("id", "ann")])
    branch = first.fork(name(3)).prompt("alpha wall").answer("gamma wall")
    sdk = first.fork(name(4), style="sdk").prompt("beta cellar").answer("roof cellar")
    again = sdk.fork(name(5), style="sdk").prompt("gamma attic").answer("alpha attic")
    second = plain.fork(name(6), style="plain").prompt("alpha stairs").answer("roof stairs")
    second.cwd = "/w/barn"
    old = Draft(name(8), "/w/shed", version="1.0.44").prompt("alpha shed").answer("beta shed")
    copy = old.fork(name(9), style="resume").prompt("gamma shed").answer("roof shed")
    exited = Draft(name(10), "/w/shed", version="1.0.128").prompt("alpha bolt").answer("beta bolt").shell("ls", "roof")
    titled = Draft(name(11), "/w/shed", version="1.0.128").summary("roof title", leaf=exited.tip).prompt("gamma nut")
    first.prompt("alpha last").answer("beta last")
    return [first, plain, branch, sdk, again, second, agents, old, copy, exited, titled]


class Changing:
    """A home whose files grow by lines and torn ones, are cut, vanish and come again."""

    def __init__(self, root: Path, chance: random.Random) -> None:
        self._chance = chance
        self._whole = {path: content for path, content, _ in written(root)}
        self._length = dict.fromkeys(self._whole, 0)

    def step(self) -> None:
        """Change one file."""
        path = self._chance.choice(sorted(self._whole))
        whole, length = self._whole[path], self._length[path]
        act = self._chance.random()
        if act < 0.75:
            ends = [place for place, byte in enumerate(whole[length:], length + 1) if byte == 10][:6]
            length = self._chance.choice([*ends, *ends, min(length + 200, len(whole)), len(whole)])
        elif act < 0.85:
            length = len(whole)
        else:
            length = self._chance.choice([0, length // 2])
        self._write(path, length)

    def finish(self) -> None:
        """Let every file be whole."""
        for path, content in self._whole.items():
            self._write(path, len(content))

    def _write(self, path: Path, length: int) -> None:
        is_growing, before = length > self._length[path] > 0, self._length[path]
        self._length[path] = length
        path.parent.mkdir(parents=True, exist_ok=True)
        if length == 0:
            path.unlink(missing_ok=True)
        elif is_growing:
            with path.open("ab") as file:
                file.write(self._whole[path][before:length])
        else:
            path.write_bytes(self._whole[path][:length])


def commands(sessions: list[str], *, is_quick: bool) -> Iterator[tuple[str, ...]]:
    """Yield every command that answers from the index."""
    yield from (("list", "--all", "--agents"), ("calls",), ("tools",), ("files",), ("stores",))
    yield from (("usage", "--audit"), ("usage", "--by", "session"), ("usage", "--by", "model"))
    yield from (("search", *words) for words in (*BY_WORDS, *SEARCHES))
    for session in sessions[:2] if is_quick else sessions:
        yield from (("show", session, "--all-branches"), ("show", session, "--offset", "1"), ("tree", session))
        yield from (("outline", session), ("calls", session), ("usage", "--audit", "--session", session))
        yield from (("files", "--session", session), ("usage", "--timeline", "--session", session))
    yield from (("recover", path) for path in ("/w/house/a.py", "/w/barn/b.py"))


def answers(root: Path, ours: Path, *, is_quick: bool) -> dict[tuple[str, ...], tuple[int, bytes]]:
    """Return what every command answers with the index in a directory."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BACKSCROLL_HOME", str(ours))
        sessions = [session.id for session in backscroll.list_sessions(root, limit=None).sessions]
    found = {}
    for command in commands(sorted(sessions), is_quick=is_quick):
        done = run("--root", root, "--json", *command, BACKSCROLL_HOME=str(ours))
        is_by_words = command[0] == "search" and command[1:] in BY_WORDS
        found[command] = (done.returncode, _without_scores(done.stdout) if is_by_words and done.stdout else done.stdout)
    return found


def _without_scores(document: bytes) -> bytes:
    """Return an answer of `search` without scores, and its hits in an order that does not follow from them.

    A score tells how rare a word is, and tantivy counts deleted messages too: docs/search.md, "Order".
    """
    found = json.loads(document)
    for hit in found.get("hits", ()):
        del hit["score"]
    return json.dumps(found | {"hits": sorted(found.get("hits", ()), key=json.dumps)}).encode()


def changed_at_random(root: Path, ours: Path, chance: random.Random, steps: int) -> Changing:
    """Change a home step by step, and bring its index up to date now and then, with and without its words."""
    changing = Changing(root, chance)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BACKSCROLL_HOME", str(ours))
        for _ in range(steps):
            changing.step()
            act = chance.random()
            if act < 0.4:
                backscroll.list_sessions(root)
            elif act < 0.8:
                backscroll.search("alpha", root)
    return changing


def differing(root: Path, grown: Path, anew: Path, *, is_quick: bool) -> list[tuple[str, ...]]:
    """Return the commands that answer otherwise with an index that grew than with one made at once."""
    one, other = answers(root, grown, is_quick=is_quick), answers(root, anew, is_quick=is_quick)
    return [command for command in one if one[command] != other[command]]


def test_commands_answer_alike_after_some_steps(tmp_path: Path) -> None:
    """An index that was brought up to date now and then, while files changed, answers as one made at once."""
    root = home(tmp_path / "home")
    for draft in family():
        draft.write(root)
    changing = changed_at_random(root, tmp_path / "grown", random.Random(1), 20)  # noqa: S311 - no secret
    changing.finish()

    assert [] == differing(root, tmp_path / "grown", tmp_path / "anew", is_quick=True)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(rounds(1)))
def test_commands_answer_alike_after_200_random_steps(tmp_path: Path, seed: int) -> None:
    """In the middle of changes and at their end, every command answers byte for byte as on an index made at once."""
    root = home(tmp_path / "home")
    for draft in family():
        draft.write(root)
    changing = changed_at_random(root, tmp_path / "grown", random.Random(seed), 200)  # noqa: S311 - no secret
    within = differing(root, tmp_path / "grown", tmp_path / "anew", is_quick=False)
    changing.finish()

    assert ([], []) == (within, differing(root, tmp_path / "grown", tmp_path / "new", is_quick=False))
