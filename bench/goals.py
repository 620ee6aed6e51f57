"""What we want to reach, and whether the figures say that we do."""

from collections.abc import Callable, Iterator

from measure import Figure
from report import BARE, OURS, Goal, Part, megabytes, number, seconds, times
from visiting import JUMP, LOAD, OPEN, TYPE, USAGE

MEDIAN = ("median", lambda figure, name: figure.worst(name, 0.5))
P99 = ("99 of 100", lambda figure, name: figure.worst(name))
TITLES = {"M": "300 MB", "L": "2 GB"}
INDEXED = TITLES | {"XL": "10 GB"}
ANONYMOUS = {"M": 250, "L": 300, "XL": 400}
"""MB that a first index may take; mapped files belong to the system."""
SERVED = {"M": 150, "L": 250}
"""MB that the server of the web page may take."""
COMPARED = {
    LOAD: ("first paint", "KB sent", "elsewhere", "memory"),
    USAGE: ("p50", "KB sent"),
    TYPE: ("answered p50", "answered p95", "p50", "p95", "memory"),
    OPEN: ("p50", "KB sent", "memory"),
    JUMP: ("p50", "memory"),
}
"""The figures of a web page that we want to be ahead in: the less, the better."""
REASONS = {
    "of a small home (no index": "the first command also makes the catalogue",
    "of a small home (index up to date)": "the start of Python modules takes most of it",
    "Memory of `list, no index`": "the rows of one transcript are held, and the largest one has 47 MB",
    "at least 5 x as fast as agentsview's": "we take in six times as much text: thinking and results of calls too",
    "memory of a first index stays flat": "it is 1.51 x; each size keeps to its own goal",
    "An update after 1 KB more": "the look at 4,540 files, not 648, takes 50 ms of it; the rest is not explained",
    "from the shell": "the start and the look for changes take most of it, about 100 ms at 300 MB",
    "of 300 MB in a running program": "the machine was busy; the CPU time keeps to it",
    "of 2 GB in a running program": "phrases and fields take the most CPU; the cause is not known",
    "A letter typed": "the server needs 20 to 40 ms of CPU for the hits with their texts",
    "is ahead of agentsview's": "it asks for 30 sessions, we asked for 200 messages; it loads messages before the jump",
}
"""Why a goal is not met, by a part of its text."""
Parts = dict[str, Part]


def goals(parts: list[Part]) -> list[Goal]:
    """Return every goal that the figures say something about."""
    named = {part.name: part for part in parts}
    kinds = (
        _start,
        _everyday,
        _flat,
        _longest,
        _first_index,
        _update,
        _search,
        _complete,
        _files,
        _recovery,
        _web,
        _pages,
        _secrets,
    )
    found = [goal for kind in kinds for goal in kind(named)]
    for goal in found:
        goal.why = "" if goal.is_met else next((why for begins, why in REASONS.items() if begins in goal.text), "")
    return found


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
            limit = ANONYMOUS[size]
            text = f"The first index of {title} takes at most {limit} MB of anonymous memory"
            told = f"{megabytes(ours.anonymous)} ({megabytes(ours.highest)} with mapped files)"
            if ours.anonymous:
                yield Goal(text, told, ours.anonymous <= limit * 1e6)
    for medium, large, remark in _sizes(parts, "first_index", task):
        told = f"{megabytes(medium.anonymous)} at 300 MB, {megabytes(large.anonymous)} at 2 GB{remark}"
        text = "Anonymous memory of a first index stays flat (at most 1.5 x)"
        yield Goal(text, told, large.anonymous <= 1.5 * medium.anonymous)


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
        told = "; ".join(f"{figure.task} {_told(figure, name, value)}" for figure in slowest)
        is_met = value(slowest[0], name) <= limit and not any(figure.failure for figure in figures)
        yield Goal(f"{text}, {called} of each kind", told, is_met)


def _told(figure: Figure, name: str, value: Callable[[Figure, str], float]) -> str:
    """Write a value; a wall time with its CPU time, for that suffers less from others."""
    cpu = f" (CPU {seconds(value(figure, 'cpu'))})" if name == "wall" and figure.is_timed else ""
    return seconds(value(figure, name)) + cpu


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


def _web(parts: Parts) -> Iterator[Goal]:
    for size, limit in SERVED.items():
        name = f"web_{size}"
        for load, usage in _pairs((parts, name, LOAD, OURS), (parts, name, USAGE, OURS)):
            code = [float(figure.facts["code KB"]) for figure in (load, usage)]
            text = f"The web page of {TITLES[size]} loads at most 60 KB of code, 120 KB with charts"
            yield Goal(text, f"{code[0]:.0f} and {code[1]:.0f} KB", code[0] <= 60 and code[1] <= 120)
        for ours in filter(None, [_figure(parts, name, OPEN)]):
            kilobytes, memory = float(ours.facts["KB sent"]), float(ours.facts["memory"])
            text = f"The first screen of the largest session of {TITLES[size]} needs at most 300 KB"
            told = f"{kilobytes:.0f} KB, {megabytes(memory)}"
            yield Goal(f"{text}, its server {limit} MB", told, kilobytes <= 300 and memory <= limit * 1e6)
        for ours in filter(None, [_figure(parts, name, TYPE)]):
            answered, painted = float(ours.facts["answered p95"]), ours.worst("wall", 0.95)
            text = f"A letter typed on the page of {TITLES[size]} is answered in 30 ms and painted in 100 (95 of 100)"
            yield Goal(text, f"{seconds(answered)} and {seconds(painted)}", answered <= 0.03 and painted <= 0.1)
        yield from _ahead(parts, size)


def _ahead(parts: Parts, size: str) -> Iterator[Goal]:
    """Yield the goal of a page that is ahead of agentsview's in each figure."""
    compared, behind = 0, []
    for task, names in COMPARED.items():
        if _figure(parts, f"web_{size}", task, "agentsview") and not _figure(parts, f"web_{size}", task):
            compared, behind = compared + 1, [*behind, f"{task}: ours came to no end"]
        for ours, theirs in _pairs((parts, f"web_{size}", task, OURS), (parts, f"web_{size}", task, "agentsview")):
            for name in names:
                values = [web_value(figure, name) for figure in (ours, theirs)]
                compared += 1
                if values[0] > values[1]:
                    behind.append(f"{task}: {name} {web_text(name, values[0])}, theirs {web_text(name, values[1])}")
    if compared:
        told = f"ahead in {compared - len(behind)} of {compared}" + "".join(f"; behind in {item}" for item in behind)
        yield Goal(f"The web page of {TITLES[size]} is ahead of agentsview's in each figure", told, not behind)


def web_value(figure: Figure, name: str) -> float:
    """Return a figure of a web page: a time in seconds, or one of its facts."""
    shares = {"p50": 0.5, "p95": 0.95}
    return figure.worst("wall", shares[name]) if name in shares else float(figure.facts[name])


def web_text(name: str, value: float) -> str:
    """Write a figure of a web page."""
    if name == "memory":
        return megabytes(value)
    return seconds(value) if name in {"p50", "p95", "first paint", "answered p50", "answered p95"} else number(value)


def _pages(parts: Parts) -> Iterator[Goal]:
    for peer in ("claude-code-log", "claude-code-transcripts"):
        task = "a site of everything"
        for ours, theirs in _pairs((parts, "pages", task, OURS), (parts, "pages", task, peer)):
            sizes = [float(figure.facts["MB"]) for figure in (ours, theirs)]
            told = (
                f"{seconds(ours.cpu)} and {seconds(theirs.cpu)}, {megabytes(ours.highest)} and "
                f"{megabytes(theirs.highest)}, pages of {sizes[0]:.1f} and {sizes[1]:.1f} MB"
            )
            is_met = ours.cpu <= theirs.cpu and ours.highest <= theirs.highest and sizes[0] <= sizes[1]
            yield Goal(f"A site of everything takes less CPU, memory and disk than {peer}'s", told, is_met)


def _secrets(parts: Parts) -> Iterator[Goal]:
    for ours in filter(None, [_figure(parts, "secrets", "the rule table alone")]):
        rate = float(ours.facts["MB/s"])
        yield Goal("The rule table reads at least 30 MB/s of CPU", f"{rate:.0f} MB/s", rate >= 30)
