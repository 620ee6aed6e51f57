"""What we want to reach, and whether the figures say that we do."""

from collections.abc import Callable, Iterator

from measure import Figure
from report import BARE, OURS, Goal, Part, megabytes, seconds, times

MEDIAN = ("median", lambda figure, name: figure.worst(name, 0.5))
P99 = ("99 of 100", lambda figure, name: figure.worst(name))
TITLES = {"M": "300 MB", "L": "2 GB"}
INDEXED = TITLES | {"XL": "10 GB"}
Parts = dict[str, Part]


def goals(parts: list[Part]) -> list[Goal]:
    """Return every goal that the figures say something about."""
    named = {part.name: part for part in parts}
    kinds = (_start, _everyday, _flat, _longest, _first_index, _update, _search, _complete, _files, _recovery)
    return [goal for kind in kinds for goal in kind(named)]


def _figure(parts: Parts, name: str, task: str, who: str = OURS) -> Figure | None:
    """Return a figure that came to an end without a failure."""
    found = parts[name].find(task, who) if name in parts else None
    return found if found and not found.failure and not found.is_lower_bound else None


def _pairs(*asked: tuple[Parts, str, str, str]) -> Iterator[list[Figure]]:
    """Yield some figures, if all of them are there."""
    found = [figure for ask in asked if (figure := _figure(*ask))]
    if len(found) == len(asked):
        yield found


def _sizes(parts: Parts, name: str, task: str) -> Iterator[tuple[Figure, Figure, str]]:
    """Yield our figures at 300 MB and at 2 GB, with a remark where they are of different versions."""
    for medium, large in _pairs((parts, f"{name}_M", task, OURS), (parts, f"{name}_L", task, OURS)):
        versions = [parts[f"{name}_{size}"].versions.get(OURS) for size in TITLES]
        yield medium, large, "" if versions[0] == versions[1] else f"; measured with {versions[0]} and {versions[1]}"


def _start(parts: Parts) -> Iterator[Goal]:
    for ours, bare in _pairs((parts, "start", "version", OURS), (parts, "start", "version", BARE)):
        ratio = ours.cpu / bare.cpu
        told = f"{times(ratio)} ({seconds(ours.cpu)} and {seconds(bare.cpu)})"
        yield Goal("`--version` takes at most twice the CPU of bare Python", told, ratio <= 2)


def _everyday(parts: Parts) -> Iterator[Goal]:
    for words in ("list", "list --json", "show ID"):
        for index in ("index up to date", "no index, one session", "no index"):
            task = f"{words}, {index}"
            for ours, bare in _pairs((parts, "small_home", task, OURS), (parts, "small_home", task, BARE)):
                more = ours.cpu - bare.cpu
                told = f"{seconds(more)} more (least: {seconds(ours.least - bare.least)})"
                text = f"`{words}` of a small home ({index}) takes at most 100 ms of CPU more than bare Python"
                yield Goal(text, told, more <= 0.1)


def _flat(parts: Parts) -> Iterator[Goal]:
    for task in ("list, no index", "list, index up to date", "show ID"):
        for small, large in _pairs((parts, "memory", f"{task}, S", OURS), (parts, "memory", f"{task}, M", OURS)):
            told = f"{megabytes(small.peak)} at 20 MB, {megabytes(large.peak)} at 300 MB"
            yield Goal(f"Memory of `{task}` stays flat (at most 1.5 x)", told, large.peak <= 1.5 * small.peak)


def _longest(parts: Parts) -> Iterator[Goal]:
    figures = parts["longest_session"].figures if "longest_session" in parts else []
    if figures and all(figure.costs for figure in figures):
        worst = max(figures, key=lambda figure: figure.highest)
        text = (
            "`show`, `calls` and `tree` of the longest transcript and of the longest line take at most 200 MB of memory"
        )
        yield Goal(text, f"{megabytes(worst.highest)} at most ({worst.task})", worst.highest <= 200e6)


def _first_index(parts: Parts) -> Iterator[Goal]:
    task, peer = "index everything", "agentsview"
    for size, title in INDEXED.items():
        name = f"first_index_{size}"
        for ours, theirs in _pairs((parts, name, task, OURS), (parts, name, task, peer)):
            ratio = theirs.wall / ours.wall
            told = (
                f"{times(ratio)} ({ours.facts['MB/s']:.1f} and {theirs.facts['MB/s']:.1f} MB/s; "
                f"by CPU {times(theirs.cpu / ours.cpu)}{_by_text(ours, theirs)})"
            )
            yield Goal(f"The first index of {title} is made at least 5 x as fast as agentsview's", told, ratio >= 5)
        for ours in filter(None, [_figure(parts, name, task)]):
            text = f"The first index of {title} takes at most 400 MB of memory"
            yield Goal(text, megabytes(ours.highest), ours.highest <= 400e6)
    for medium, large, remark in _sizes(parts, "first_index", task):
        told = f"{megabytes(medium.highest)} at 300 MB, {megabytes(large.highest)} at 2 GB{remark}"
        yield Goal("Memory of a first index stays flat (at most 1.5 x)", told, large.highest <= 1.5 * medium.highest)


def _by_text(ours: Figure, theirs: Figure) -> str:
    """Say how fast we are by the text that can be found afterwards, where it is known of both."""
    texts = [figure.facts.get("text MB") for figure in (ours, theirs)]
    if not all(texts):
        return ""
    ratio = theirs.wall / ours.wall * float(texts[0] or 0) / float(texts[1] or 1)
    return f"; by the text that can be found afterwards {times(ratio)}"


def _update(parts: Parts) -> Iterator[Goal]:
    for medium, large, remark in _sizes(parts, "update", "1 KB more"):
        told = f"{seconds(medium.cpu)} at 300 MB, {seconds(large.cpu)} at 2 GB{remark}"
        text = "An update after 1 KB more in a session of 47 MB costs the same at any size of the home (at most 1.5 x)"
        yield Goal(text, told, large.cpu <= 1.5 * medium.cpu)


def _search(parts: Parts) -> Iterator[Goal]:
    for size, title in TITLES.items():
        for measure in (MEDIAN, P99):
            text = f"A search of {title} from the shell takes at most 120 ms of CPU"
            yield from _slowest(parts.get(f"search_cold_{size}"), text, "cpu", 0.12, measure)
    for size, title in TITLES.items():
        text = f"A search of {title} in a running program takes at most 20 ms"
        yield from _slowest(parts.get(f"search_warm_{size}"), text, "wall", 0.02, P99)


def _slowest(
    part: Part | None, text: str, name: str, limit: float, measure: tuple[str, Callable[[Figure, str], float]]
) -> Iterator[Goal]:
    """Yield a goal for all kinds of questions, which is met if the slowest of them meets it."""
    called, value = measure
    figures = [figure for figure in part.figures if figure.who == OURS] if part else []
    if figures and all(figure.costs for figure in figures):
        slowest = sorted(figures, key=lambda figure: value(figure, name), reverse=True)
        told = "; ".join(f"{figure.task} {seconds(value(figure, name))}" for figure in slowest)
        is_met = value(slowest[0], name) <= limit and not any(figure.failure for figure in figures)
        yield Goal(f"{text}, {called} of each kind", told, is_met)


def _complete(parts: Parts) -> Iterator[Goal]:
    for ours in filter(None, [_figure(parts, "completeness", "find all")]):
        told = f"{ours.facts['messages found']:,} found, {ours.facts['missing']} missing, {ours.facts['wrong']} wrong"
        text = "The messages found for 500 words drawn at random are those that decoding everything finds"
        yield Goal(text, told, not ours.facts["missing"] and not ours.facts["wrong"])


def _files(parts: Parts) -> Iterator[Goal]:
    for task in ("files", "recover PATH"):
        for medium, large, remark in _sizes(parts, "files", task):
            memory = f"{megabytes(large.highest)} ({megabytes(medium.highest)} at 300 MB)"
            told = f"{seconds(large.wall)} at 2 GB, {memory}{remark}"
            text = f"`{task}` of 2 GB answers within a second, in memory that stays flat (at most 1.5 x)"
            yield Goal(text, told, large.wall <= 1 and large.highest <= 1.5 * medium.highest)


def _recovery(parts: Parts) -> Iterator[Goal]:
    for ours, theirs in _pairs(
        (parts, "recovery", "give back", OURS), (parts, "recovery", "give back", "claude-file-recovery")
    ):
        told = " and ".join(f"{item.facts['right']} right, {item.facts['wrong']} wrong" for item in (ours, theirs))
        is_met = float(ours.facts["right"]) >= float(theirs.facts["right"]) and not theirs.facts["by it alone"]
        text = "Every file that claude-file-recovery gives back is given back, and at least as many are right"
        yield Goal(text, f"{told}; {theirs.facts['by it alone']} by it alone", is_met)
