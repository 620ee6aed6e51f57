"""Numbers, times and paths for people: 1.2 M, 3 h ago, ~/projects/shop."""

import re
from collections import Counter
from collections.abc import Iterable
from datetime import datetime, timedelta

from backscroll.safe_text import one_line
from backscroll.views.terminal.paper import Paper

_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def count(number: int, noun: str, plural: str | None = None) -> str:
    """Return `1 session`, `2 sessions`."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def short(number: int | None) -> str:
    """Return a number in about three digits: 950, 1.2 k, 34 k, 1.2 M; nothing if it is unknown."""
    if number is None:
        return ""
    size = float(number)
    for unit in ("", " k", " M"):
        if abs(size) < 999.5 or (not unit and abs(size) < 1000):
            return _digits(size, unit)
        size /= 1000
    return _digits(size, " G")


def size(number: int | None) -> str:
    """Return a number of bytes: 512 B, 48 KB, 1.2 MB."""
    if number is None:
        return ""
    amount = float(number)
    for unit in ("B", "KB", "MB", "GB"):
        if abs(amount) < 999.5:
            return _digits(amount, " " + unit)
        amount /= 1000
    return _digits(amount, " TB")


def _digits(amount: float, unit: str) -> str:
    if not unit.strip() or unit == " B" or abs(amount) >= 9.95:
        return f"{amount:.0f}{unit}"
    return f"{amount:.1f}{unit}"


def dollars(cost: float | None) -> str:
    """Return a cost: $12.30, $0.004, <$0.001; nothing if it is unknown."""
    if cost is None:
        return ""
    if 0 < cost < 0.0005:
        return "<$0.001"
    return f"${cost:,.2f}" if cost >= 0.095 or not cost else f"${cost:.3f}"


def duration(time: timedelta) -> str:
    """Return a length of time: 40 ms, 1.4 s, 12 s, 3 min, 2 h 38 min, 4 d."""
    return duration_of(time.total_seconds())


def duration_of(seconds: float) -> str:
    """Return a number of seconds as a length of time."""
    if seconds < 0.9995:
        return f"{max(seconds, 0) * 1000:.0f} ms"
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    if seconds < 99.5:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    if minutes < 60:
        return f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    if hours < 48:
        return f"{hours} h {minutes} min" if minutes else f"{hours} h"
    return f"{round(hours / 24)} d"


def ago(time: datetime | None, paper: Paper) -> str:
    """Return the age of a time, or its date if that is clearer; on a pipe always the full time."""
    if time is None:
        return ""
    if paper.width is None:
        return moment(time, paper)
    seconds = (paper.now - time).total_seconds()
    if seconds < -60:
        return day(time, paper)
    for limit, unit, divisor in ((60, "now", 0), (3600, "min", 60), (86400, "h", 3600), (14 * 86400, "d", 86400)):
        if seconds < limit:
            return f"{int(seconds // divisor)} {unit} ago" if divisor else "now"
    return day(time, paper)


def until(time: datetime, paper: Paper) -> str:
    """Return the distance to a future time: in 3 d, in 5 h, overdue."""
    seconds = (time - paper.now).total_seconds()
    if seconds <= 0:
        return "overdue"
    return f"in {int(seconds // 86400)} d" if seconds >= 2 * 86400 else f"in {max(1, int(seconds // 3600))} h"


def moment(time: datetime, paper: Paper) -> str:
    """Return `2025-09-19 14:02`."""
    return paper.local(time).isoformat(" ", "minutes")[:16]


def clock(time: datetime, paper: Paper) -> str:
    """Return `14:02`."""
    local = paper.local(time)
    return f"{local.hour:02}:{local.minute:02}"


def clock_seconds(time: datetime, paper: Paper) -> str:
    """Return `14:02:09`."""
    return paper.local(time).strftime("%H:%M:%S")


def day(time: datetime, paper: Paper) -> str:
    """Return `19 Sep`, with the year if it is not the current one."""
    local = paper.local(time)
    text = f"{local.day} {_MONTHS[local.month - 1]}"
    return text if paper.width is not None and local.year == paper.local(paper.now).year else f"{text} {local.year}"


def long_day(time: datetime, paper: Paper) -> str:
    """Return `Friday, 19 September 2025`."""
    local = paper.local(time)
    return f"{local:%A}, {local.day} {local:%B} {local.year}"


def period(start: datetime | None, end: datetime | None, paper: Paper) -> str:
    """Return `19 Sep 2025, 14:02 - 16:40 (2 h 38 min)`, as far as it is known."""
    if start is None:
        return moment(end, paper) if end else ""
    text = f"{day(start, paper)}, {clock(start, paper)}"
    if end is None or end <= start:
        return text
    last = clock(end, paper)
    if paper.local(end).date() != paper.local(start).date():
        last = f"{day(end, paper)}, {last}"
    return f"{text} – {last} ({duration(end - start)})"


def time_range(since: datetime | None, until: datetime | None, paper: Paper) -> str:
    """Return `from 2026-07-20 to 2026-07-23`, whole days without a time; the end of a day is that day."""
    parts = [f"from {_bound(since, paper)}"] if since else []
    if until:
        is_whole = _is_midnight(until, paper)
        parts.append(f"to {_bound(until - timedelta(days=1) if is_whole else until, paper)}")
    return " ".join(parts)


def _bound(time: datetime, paper: Paper) -> str:
    text = moment(time, paper)
    return text.removesuffix(" 00:00") if _is_midnight(time, paper) else text


def _is_midnight(time: datetime, paper: Paper) -> bool:
    local = paper.local(time)
    return (local.hour, local.minute, local.second) == (0, 0, 0)


def tilde(path: str, paper: Paper) -> str:
    """Return a path on one line, with the home directory as `~`."""
    if paper.home and (path == paper.home or _is_below(path, paper.home)):
        path = "~" + path[len(paper.home) :]
    return one_line(path)


def near(path: str, paper: Paper) -> str:
    """Return a path on one line, relative to the session's directory if it is below it."""
    if paper.base and _is_below(path, paper.base):
        return one_line(path[len(paper.base) + 1 :])
    return tilde(path, paper)


def _is_below(path: str, directory: str) -> bool:
    return path.startswith((directory + "/", directory + "\\")) and len(path) > len(directory) + 1


def quoted(text: str) -> str:
    """Return a text as one word of a shell."""
    return text if re.fullmatch(r"[\w@%+=:,./-]+", text) else "'" + text.replace("'", "'\\''") + "'"


def last_name(path: str | None) -> str:
    r"""Return the last name of a path of any system: `/a/shop`, `C:\work\shop` to `shop`."""
    names = [name for name in (path or "").replace("\\", "/").split("/") if name]
    return one_line(names[-1]) if names else one_line(path or "")


def short_path(path: str, width: int, paper: Paper) -> str:
    """Return a path that fits, cut in the middle."""
    return cut_path(tilde(path, paper), width, paper)


def cut_path(path: str, width: int, paper: Paper) -> str:
    """Return a path that fits: its beginning, an ellipsis, and as many whole names of its end as there is room for.

    The last name stays whole wherever it fits.
    """
    if paper.measure(path) <= width:
        return path
    separator = "/" if "/" in path else "\\"
    names = path.split(separator)
    first = names[0] + separator if names[0] in ("", "~") or names[0].endswith(":") else ""
    if first == separator and len(names) > 2:
        first += names[1] + separator
    end = ""
    for name in reversed(names):
        longer = f"{separator}{name}{end}"
        if paper.measure(first + "…" + longer) > width:
            break
        end = longer
    if end:
        return f"{first}…{end}"
    last = f"…{separator}{names[-1]}"
    return last if paper.measure(last) <= width else fit_end(names[-1], width, paper)


def fit_end(text: str, width: int, paper: Paper) -> str:
    """Return the end of a text that fits, the cut shown by an ellipsis."""
    if paper.measure(text) <= width:
        return text
    while text and paper.measure(text) > width - 1:
        text = text[max(1, (len(text) - width) // 2) :]
    return "…" + text


def short_models(models: Iterable[str | None]) -> dict[str | None, str]:
    """Return the short name of each model; models that would share one keep their dates."""
    short = {model: short_model(model) for model in set(models)}
    taken = Counter(short.values())
    return {model: name if taken[name] == 1 else _whole_model(model) for model, name in short.items()}


def _whole_model(model: str | None) -> str:
    return one_line(model or "").removeprefix("claude-")


def short_model(model: str | None) -> str:
    """Return a model's name without the maker's prefix and the date: claude-opus-4-1-20250805 to opus-4-1."""
    name = _whole_model(model)
    stem, _, tail = name.rpartition("-")
    return stem if len(tail) == 8 and tail.isdecimal() else name
