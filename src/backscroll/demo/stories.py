"""The sessions of the demo home, as data: twelve small sessions in five projects of an invented Ann.

A story is a list of steps: her prompts, the answers and calls of the model, and other records of `Draft`.
"""

import base64
from typing import Any, NamedTuple

from backscroll.demo.tools import Tool, bash, edit, failed, grep, read, todo, write


class StoryStep(NamedTuple):
    """A method of Draft and its arguments."""

    name: str
    arguments: tuple[Any, ...]
    options: dict[str, Any]


class Task(NamedTuple):
    """The task, the calls and the answer of an agent; with `meanwhile` it runs in the background."""

    description: str
    prompt: str
    steps: "list[StoryStep | Task]"
    answer: str
    meanwhile: "list[StoryStep | Task] | None" = None


class Story(NamedTuple):
    """A session: its directory, its version, its age in days, and its messages."""

    session: str
    cwd: str
    version: str
    age: float
    steps: list[StoryStep | Task]
    branch: str = "main"
    fork_of: str | None = None
    kept: float | None = None
    """The age in days of the copy of the file, if it is younger than the session."""


def step(name: str, *arguments: Any, **options: Any) -> StoryStep:
    """Return any step."""
    return StoryStep(name, arguments, options)


def ask(text: str, **options: Any) -> StoryStep:
    """Return the prompts of Ann."""
    return step("prompt", text, **options)


def say(text: str | None, *calls: Tool, **options: Any) -> StoryStep:
    """Return an answer of the model with its calls."""
    return step("answer", text, calls=calls, **options)


LEDGER, SHOP, RIPPLE = "/home/ann/code/ledger", "/home/ann/code/storefront", "/home/ann/code/ripple"
TIDES, HANDBOOK = "/home/ann/data/harbour-tides", "/home/ann/docs/handbook"
DARK = f"{SHOP}/.claude/worktrees/dark-mode"
AMOUNTS, CSS, FILTER, GUIDE = (
    f"{LEDGER}/ledger/amounts.py",
    f"{SHOP}/src/checkout/pay.css",
    f"{RIPPLE}/src/filter.rs",
    f"{HANDBOOK}/first-week.md",
)

_SCREENSHOT = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAEklEQVR4nGP4z8CAFWEXHbQSACj/P8Fu7N9hAAAAAElFTkSuQmCC"
)
_FLOAT = """import re

AMOUNT = re.compile(r"-?[0-9]+([.,][0-9]{2})?")


def parse_amount(text: str) -> float:
    # Turn an amount from a bank export into a number.
    return float(text.strip().replace(",", "."))
"""
_FLOAT_LINE = '    return float(text.strip().replace(",", "."))'
_REGEX_LINE = '    return float(re.sub(r"[.,](?=[0-9]{3})", "", text.strip()).replace(",", "."))'
_DECIMAL = """from decimal import Decimal


def parse_amount(text: str) -> Decimal:
    # The last separator divides whole and cents; those before it only group digits.
    whole, _, cents = text.strip().replace(",", ".").rpartition(".")
    return Decimal(f"{whole.replace('.', '')}.{cents}" if whole else cents)
"""
_NEGATIVE = """def test_negative() -> None:
    assert parse_amount("-1.234,56") == Decimal("-1234.56")
"""
_BUTTON = ".pay-button {\n  position: absolute;\n  bottom: 0;\n  width: 100%;\n}\n"
_THEME = "@media (prefers-color-scheme: dark) {\n  :root { --paper: #111; --ink: #eee; }\n}\n"
_EAGER = "fn keep(path: &Path, least: Option<u64>) -> bool {\n    size_of(path) >= least.unwrap_or(0)\n}\n"
_EAGER_LINE, _LAZY_LINE = "size_of(path) >= least.unwrap_or(0)", "least.map_or(true, |least| size_of(path) >= least)"
_WALK = """pub fn walk(root: &Path, found: &mut Vec<PathBuf>) {
    for path in list(root) {
        if path.is_dir() { walk(&path, found) } else { found.push(path) }
    }
}
"""
_WEEK = "# Your first week\n\nAsk Ann for an account.\n\nRead the old handbook.\n"
_MONDAY = "# Monday\n\n- Get your account\n- Set up your laptop\n- Meet your buddy\n"
_LOG = "".join(f"   Compiling crate-{n} v0.{n % 9}.{n % 7}\n" for n in range(900)) + "    Finished in 41.2s\n"

STORIES = [
    Story(
        "3f0c2a51-7d7e-4c1b-9a53-0d5e8a7c1b01",
        LEDGER,
        "2.1.325",
        2.1,
        [
            ask("The totals are wrong for German bank exports: 1.234,56 comes out as an error. Can you find out why?"),
            say(
                "I'll look at how amounts are parsed and at the tests for it.",
                grep("parse_amount", AMOUNTS, f"{LEDGER}/tests/test_amounts.py"),
                read(AMOUNTS, _FLOAT),
                thinking="1.234,56 has a point for thousands and a comma for cents. A plain replace would break it.",
            ),
            say(
                "`parse_amount` turns every comma into a point and keeps the old points. Let me prove it.",
                failed(
                    "pytest -q tests/test_amounts.py",
                    1,
                    "E  ValueError: could not convert string to float: '1.234.56'\n1 failed, 3 passed",
                ),
            ),
            say("The cause is certain: **two points in one number**. Shall I drop the separators with a regex?"),
            ask("Yes, go ahead."),
            step("backup", AMOUNTS, _FLOAT.encode()),
            say(None, edit(AMOUNTS, _FLOAT, _FLOAT_LINE, _REGEX_LINE)),
            say("Done, but note that `1.234` alone is ambiguous: it could be 1234 or 1.234."),
            step("rewind", 2),
            ask("No regex please, and no floats for money. Split at the last separator and use Decimal."),
            say(
                "Right, money should be `Decimal`. The last separator decides, everything before it is whole.",
                write(AMOUNTS, _DECIMAL, _FLOAT),
                thinking="rpartition on the normalised text gives the cents; the rest loses its points.",
            ),
            step("queued", "Also add a test for negative amounts."),
            say(
                "Both at once: the new test, and then the whole suite.",
                write(f"{LEDGER}/tests/test_negative.py", _NEGATIVE),
                bash("pytest -q", "12 passed in 0.31s", "Run all tests"),
                interleaved=True,
            ),
            say("All 12 tests pass. `1.234,56`, `1,234.56` and `-1.234,56` now give exact amounts."),
            step("system", "turn_duration", durationMs=94_000),
            step("title", "Parse amounts with thousands separators"),
            step("last_prompt"),
        ],
    ),
    Story(
        "8b6d4e07-52aa-4f3e-8c1d-6e2f90b7ac02",
        LEDGER,
        "2.1.325",
        1.2,
        [
            ask("Try the same with babel's parse_decimal instead, so that we can compare."),
            say(
                "Babel needs the locale of each bank; the export's header names it.",
                bash("python -m timeit -s 'from babel.numbers import parse_decimal'", "20.1 usec per loop"),
            ),
            say("It works and knows every locale, but costs 20 µs per amount and a dependency. I'd keep ours."),
            step("title", "Amounts with babel", by="custom"),
            step("last_prompt"),
        ],
        fork_of="3f0c2a51-7d7e-4c1b-9a53-0d5e8a7c1b01",
    ),
    Story(
        "c94e1f3a-0b66-4d2e-b7a8-51d3c6e8f003",
        LEDGER,
        "2.1.250",
        28,
        [
            ask("Write a command that exports one year as CSV, one line per month."),
            say("Three steps.", todo("Group by month", "Write the CSV", "Document it", done=1)),
            say(None, write(f"{LEDGER}/ledger/export.py", "def export_year(year: int) -> str: ...\n")),
            say("`ledger export 2026` prints twelve lines and a total. The README names it."),
            step("title", "Export a year as CSV"),
        ],
    ),
    Story(
        "5d1a7b92-33c8-4e90-a6f4-2b8c7d9e0a04",
        SHOP,
        "2.1.325",
        0.15,
        [
            ask("On small screens the pay button covers the total. See the screenshot.", image=_SCREENSHOT),
            say("I see it: the button floats above the last row. Let me look at its style.", read(CSS, _BUTTON)),
            Task(
                "Check accessibility",
                "Check the checkout page for contrast, focus order and labels.",
                [say(None, bash("npx pa11y http://localhost:5173/checkout", "2 issues found"))],
                "Two findings: the pay button's contrast is 3.9:1 (4.5:1 needed), and the coupon field has no label.",
                [
                    say(
                        "While that runs, I'll take the button out of absolute positioning.",
                        edit(CSS, _BUTTON, "position: absolute", "position: sticky"),
                    ),
                    say("The button now sticks to the bottom and leaves room for the total."),
                ],
            ),
            say("The check came back: a contrast of 3.9:1, and a field without a label. Shall I fix both?"),
            step("command", "review", "", "No issues in 1 changed file."),
            ask("Yes, fix both and run the tests."),
            say(
                None,
                failed("npm test", 1, "FAIL src/checkout/coupon.test.tsx\n  Unable to find a label: Coupon"),
                bash("npm test -- --update", "Tests: 48 passed, 48 total", "Run the tests after the fix"),
            ),
            say("Fixed: contrast is 7.2:1, the field has a label, and all 48 tests pass."),
            step("title", "Pay button covers the total"),
            step("last_prompt"),
        ],
        branch="fix/pay-button",
    ),
    Story(
        "e27f8c60-94d1-4b5a-8e3c-7a1b2c3d4e05",
        DARK,
        "2.1.325",
        5.1,
        [
            step(
                "record",
                type="worktree-state",
                worktreeSession={
                    "originalCwd": SHOP,
                    "worktreePath": DARK,
                    "worktreeName": "dark-mode",
                    "worktreeBranch": "worktree-dark-mode",
                    "originalBranch": "main",
                },
            ),
            ask("Add a dark theme that follows the system setting."),
            say("CSS variables and one media query are enough.", write(f"{DARK}/src/theme.css", _THEME)),
            say("The shop now follows the system's theme. No component had to change."),
            step("title", "Dark theme"),
        ],
        branch="worktree-dark-mode",
    ),
    Story(
        "71c5d0e8-6f2b-4a97-b1d4-8e9f0a1b2c06",
        RIPPLE,
        "2.1.325",
        3.2,
        [
            ask("ripple is slower than find on a million files. Where does the time go?"),
            Task(
                "Map the hot path",
                "Find every place where ripple touches the file system, and say how often.",
                [
                    say(
                        "Two modules touch it. I'll have the second one read on its own.",
                        grep("read_dir|metadata", f"{RIPPLE}/src/walk.rs", FILTER),
                    ),
                    Task(
                        "Read filter.rs",
                        "How many system calls does filter.rs make for each entry?",
                        [say(None, read(FILTER, _EAGER))],
                        "One stat for each entry, even where no size is asked for.",
                    ),
                ],
                "walk.rs lists each directory once; filter.rs calls stat once more for every entry.",
            ),
            say(
                "The filter asks for the size of every file, whether it needs it or not. Let me measure.",
                bash("cargo build --release", _LOG[:600], "Build", saved=_LOG),
                bash("hyperfine 'ripple .' 'find .'", "ripple . 2.91 s\nfind . 0.84 s", "Compare"),
            ),
            say("2.9 s against 0.84 s: a million needless `stat` calls."),
            step("internal_agent", "compact", "Summarise the conversation so far.", answer="ripple is slow: stat."),
            step(
                "compact",
                """ripple took 2.9 s against 0.84 s of find, because filter.rs calls stat for every entry.
Next: ask for metadata only where a filter needs it.""",
            ),
            ask("Good. Make the metadata lazy."),
            say(None, edit(FILTER, _EAGER, _EAGER_LINE, _LAZY_LINE)),
            say("Now the tests.", bash("cargo test", "test result: ok. 31 passed; 0 failed")),
            say("31 tests pass, and ripple takes 0.79 s: a little faster than find."),
            step("title", "Why ripple is slower than find"),
            step("last_prompt"),
        ],
    ),
    Story(
        "0a9b8c7d-1e2f-4a3b-8c4d-5e6f7a8b9c07",
        RIPPLE,
        "2.0.60",
        340,
        [
            ask("ripple never ends in my home directory. Why?"),
            Task(
                "Find the loop",
                "Does src/walk.rs follow symbolic links?",
                [say(None, read(f"{RIPPLE}/src/walk.rs", _WALK))],
                "Yes: is_dir() follows links, so a link to a parent directory makes an endless walk.",
            ),
            say(
                "`is_dir()` follows symbolic links. A link to `..` is enough for an endless walk.",
                edit(f"{RIPPLE}/src/walk.rs", _WALK, "path.is_dir()", "path.is_dir() && !path.is_symlink()"),
            ),
            say("Links are no longer followed. To follow each of them once, remember the visited inodes."),
            step("summary", "Endless walk through symbolic links"),
        ],
        kept=20,
    ),
    Story(
        "b3e4f5a6-7c8d-4e9f-a0b1-c2d3e4f5a608",
        TIDES,
        "2.1.300",
        8.15,
        [
            ask("Here are five years of tide gauge readings in data/tides.csv. Is the mean level rising?"),
            say(
                "Let me see what the file holds.",
                bash("head -3 data/tides.csv", "time,level_cm\n2021-01-01T00:00,412\n2021-01-01T00:10,415"),
                bash("wc -l data/tides.csv", "262801 data/tides.csv"),
            ),
            step("api_error", "API Error: 529 Overloaded. Retrying in 4 seconds."),
            say(
                "A reading every ten minutes. I'll fit a trend after removing the tides.",
                write(f"{TIDES}/trend.py", "import pandas as pd\n\nlevels = pd.read_csv('data/tides.csv')\n"),
                bash("python trend.py", "trend: +3.4 mm per year (95 %: 1.1 to 5.7)"),
                thinking="Monthly means remove most of the tide; then a linear fit with seasonal terms.",
            ),
            say("Yes: **3.4 mm per year**, between 1.1 and 5.7. Five years are short, so treat it as a hint."),
            step("title", "Is the mean sea level rising?"),
        ],
    ),
    Story(
        "d8c7b6a5-4f3e-4d2c-9b1a-0f9e8d7c6b09",
        TIDES,
        "2.1.325",
        1.05,
        [
            ask("Plot the monthly means with the trend line."),
            say(
                "I'll write the plot next to the analysis.",
                write(f"{TIDES}/plot.py", "from trend import levels\n\nlevels.plot()\n"),
            ),
            say("The plot is in `plots/monthly.png`. A storm surge of 64 cm stands out in the winter of 2023."),
            step("tear"),
        ],
    ),
    Story(
        "f1e2d3c4-b5a6-4978-8a9b-0c1d2e3f4a10",
        HANDBOOK,
        "2.1.325",
        12.05,
        [
            ask("Plan a rewrite of the onboarding guide. New colleagues get lost in the first week."),
            say("I'll read what they read now.", read(GUIDE, _WEEK)),
            say("Two sentences for a whole week. I suggest one page per day, each with one thing to finish."),
            ask("Start with Monday."),
            say("Monday begins with accounts, which take a while, so"),
            step("interrupt"),
            ask("Shorter, please. Three bullet points at most."),
            step("backup", GUIDE, _WEEK.encode()),
            say(None, write(GUIDE, _MONDAY, _WEEK)),
            say("Monday now fits on a card."),
            step("title", "A better first week"),
        ],
    ),
    Story(
        "a0b1c2d3-e4f5-4a6b-9c7d-8e9f0a1b2c11",
        HANDBOOK,
        "1.0.128",
        410,
        [
            ask("Which pages of the handbook does nobody link to?"),
            Task(
                "List links",
                "List every Markdown link in the handbook.",
                [say(None, bash("grep -rho '](.*)' .", "](first-week.md)\n](holidays.md)"))],
                "Two pages are linked: first-week.md and holidays.md.",
            ),
            say("`printing.md` and `parking.md` are orphans: nothing links to them."),
            step("summary", "Orphan pages of the handbook"),
        ],
        kept=20,
    ),
    Story(
        "96a7b8c9-d0e1-4f2a-b3b4-c5d6e7f8a912",
        HANDBOOK,
        "2.1.325",
        0.05,
        [
            ask("How do I link to a heading on another page?"),
            say("Write `[Holidays](holidays.md#how-to-ask)`: the heading in lower case, dashes for spaces."),
            step("last_prompt"),
        ],
    ),
]
