"""The documents say what the code does: outputs, keys, exit codes, record types, links, pictures."""

import doctest
import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from make import write_desktop

from backscroll.cli.main import run
from backscroll.demo import write_demo_home
from backscroll.errors import ANSWERS
from backscroll.formats.images import raster_image
from backscroll.formats.json import lines as jsonl
from backscroll.health.model import KINDS
from backscroll.index.queries import sessions as query
from backscroll.sessions import session
from backscroll.sessions.transcript import conversation, facts, prompts, rows

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PACKAGE = ROOT / "src" / "backscroll"
PAGES = sorted([*ROOT.glob("*.md"), *DOCS.glob("*.md")])
PROSE = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted(DOCS.glob("*.md"))]
FIRST_SCREEN = 46

SESSION_WITH_AGENTS, SESSION_WITH_DAMAGE = "71c5d0e8", "d8c7b6a5"


def text_of(page: Path) -> str:
    """Return a page."""
    return page.read_text(encoding="utf-8")


def without_code(text: str) -> str:
    """Return a page without its fenced blocks."""
    return re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)


def headings(text: str) -> list[str]:
    """Return the titles of a page's sections, as they stand."""
    return re.findall(r"^#+ (.+)$", without_code(text), re.MULTILINE)


def anchor(title: str) -> str:
    """Return what a link to a section is called: lower case, dashes for blanks, no punctuation."""
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def section(text: str, title: str) -> str:
    """Return a section's text up to the next heading."""
    found = re.search(rf"^#+ {re.escape(title)}\n(.*?)(?=^#|\Z)", text, re.MULTILINE | re.DOTALL)

    assert found, f"there is no section {title}"

    return found[1]


def cells(text: str) -> Iterator[list[str]]:
    """Yield the rows of the tables in a text, their heads left out."""
    for table in re.findall(r"(?:^\|.*\n?)+", text, re.MULTILINE):
        for line in table.splitlines()[2:]:
            yield [cell.strip() for cell in line.strip("|").split("|")]


def names(cell: str) -> list[str]:
    """Return the words set as code in a cell."""
    return re.findall(r"`([^`]+)`", cell)


# The README


def test_first_screen_is_one_screen() -> None:
    """What README.md says before its second heading fits on a screen, and holds what a first screen needs."""
    lines = text_of(ROOT / "README.md").splitlines()
    first = lines[: next(n for n, line in enumerate(lines) if line.startswith("## "))]
    text = "\n".join(first)

    assert len(first) <= FIRST_SCREEN
    assert 3 == len(re.findall(r"^\$ backscroll ", text, re.MULTILINE))
    assert 3 == len(re.findall(r"^>>> ", text, re.MULTILINE))
    assert 1 == text.count("![")
    assert 8 == len(re.findall(r"(?<!!)\[[^]]+\]\(", text))
    assert [] == [word for word in ("make run", "make test", "pipx install", "uv tool install") if word not in text]


def test_pictures_and_console_blocks_are_up_to_date() -> None:
    """What README.md and the pictures show is what the commands print on the demo home."""
    script = ROOT / "scripts" / "draw_pictures.py"
    done = subprocess.run([sys.executable, script, "--check"], check=False, capture_output=True, text=True)

    assert (0, "") == (done.returncode, done.stderr)


def test_readme_examples_run(home: Path) -> None:
    """The lines of Python in README.md give what stands below them, on the demo home."""
    write_demo_home(home)
    text = re.sub(r"^```.*$", "", text_of(ROOT / "README.md"), flags=re.MULTILINE)
    report: list[str] = []
    examples = doctest.DocTestParser().get_doctest(text, {}, "README.md", "README.md", 0)
    result = doctest.DocTestRunner().run(examples, out=report.append)

    assert 0 < result.attempted
    assert "" == "".join(report)


@pytest.mark.parametrize("picture", sorted(DOCS.glob("pictures/*.svg")), ids=lambda path: path.name)
def test_pictures_call_nowhere(picture: Path) -> None:
    """A picture loads nothing and links nowhere; the name of SVG itself is all it may say, and pixels say nothing."""
    if raster_image(picture.read_bytes()) is not None:
        return
    text = text_of(picture).replace('xmlns="http://www.w3.org/2000/svg"', "")

    assert [] == re.findall(r"https?:|//|<script|<image|@import|@font-face|url\((?!#)", text)


# All pages


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_links_resolve(page: Path) -> None:
    """Every relative link of a page leads to a file that exists, and to a section of it."""
    links = re.findall(r"\]\((?!https?:)([^)\s]+)\)", without_code(text_of(page)))
    broken = []
    for link in links:
        name, _, section_name = link.partition("#")
        target = page.parent / name if name else page
        if not target.exists() or (section_name and section_name not in map(anchor, headings(text_of(target)))):
            broken.append(link)

    assert [] == broken


@pytest.mark.parametrize("page", PROSE, ids=lambda path: path.name)
def test_one_sentence_stands_on_one_line(page: Path) -> None:
    """A line of prose is one sentence: it ends where the line ends, and no other begins in it.

    A definition, which begins with its word in bold, may say more.
    """
    text = re.sub(r"^\*\*\w+\.\*\* .*?\n\n", "", without_code(text_of(page)), flags=re.MULTILINE | re.DOTALL)
    prose = [line for line in text.splitlines() if line and line[0] not in "#|[!"]
    sentences = [re.sub(r"^\d+\. |`[^`]*`|\([^()]*\)", "x", line) for line in prose]

    assert [] == [line for line in sentences if re.search(r"[.!?] +[A-Z*`]", line)]
    assert [] == [line for line in sentences if not re.search(r"[.:;!?]\**$", line)]


# docs/formats.md


def references() -> Iterator[tuple[str, str]]:
    """Yield every section of docs/formats.md that a module points to; an unnamed one is empty."""
    for path in sorted((ROOT / "src").rglob("*.py")):
        text = re.sub(r"\n\s*#?\s*", " ", text_of(path))
        for found in re.finditer(r"formats\.md((?:,? (?:and )?\"[^\"]+\")*)", text):
            for title in re.findall(r"\"([^\"]+)\"", found[1]) or [""]:
                yield path.name, title


def test_sections_that_code_points_to_exist() -> None:
    """Each comment that points to docs/formats.md names a section, by its title."""
    known = headings(text_of(DOCS / "formats.md"))
    found = list(references())

    assert len(found) > 5
    assert [] == [(module, title) for module, title in found if title not in known]


def test_every_record_type_is_documented() -> None:
    """The table of record types names exactly the types that the code knows, with the rule that it applies."""
    known = dict.fromkeys(rows.TREE_TYPES, "tree") | dict.fromkeys(facts.IGNORED_TYPES, "counted")
    stated = {str(name) for name in facts._STATEMENTS}
    table = list(cells(section(text_of(DOCS / "formats.md"), "Record types")))
    rules = {name: row[2] for row in table for name in names(row[0]) if not row[0].startswith("any other")}

    assert stated | set(known) == set(rules)
    assert known == {name: rule for name, rule in rules.items() if name not in stated}
    assert {"last wins", "all count"} == {rules[name] for name in stated}


@pytest.mark.parametrize(
    "title, words",
    [
        ("What a human typed", [f"<{tag}>" for tag in prompts._COMMAND_TAGS + prompts._NOTICE_TAGS]),
        ("What a human typed", [f"<{tag}>" for tag in prompts._PREFIX_TAGS]),
        ("Agents and their calls", conversation.INTERNAL_LABELS),
        ("Usage", [".".join(map(str, rows.LAST_PLACEHOLDER_VERSION)), f"shorter than {session.SHORTEST_GLOBAL_ID} "]),
        ("Damage", [f"{jsonl.MAX_LINE >> 20} MiB"]),
        ("Retention", [f" {query.DEFAULT_CLEANUP_DAYS} unless"]),
    ],
)
def test_section_names_what_the_code_looks_for(title: str, words: Iterable[str]) -> None:
    """The words and figures by which the code decides stand in the section about them."""
    text = section(text_of(DOCS / "formats.md"), title)

    assert [] == [word for word in words if word not in text]


def test_every_section_says_how_it_is_known() -> None:
    """Each section about a format names its evidence."""
    text = text_of(DOCS / "formats.md")
    about = [title for title in re.findall(r"^## (.+)$", text, re.MULTILINE) if "known" not in title]

    assert len(about) > 15
    assert [] == [title for title in about if not section(text, title).lstrip().startswith("Evidence: ")]


# docs/design.md


def test_every_folder_stands_in_the_layers() -> None:
    """The layers of docs/design.md name every folder of the package and every module outside a folder."""
    text = section(text_of(DOCS / "design.md"), "Layers")
    folders = [path.parent for path in PACKAGE.rglob("__init__.py") if path.parent != PACKAGE]
    named = {name.rstrip("/") for name in re.findall(r"`([\w/]+)`", text)}
    modules = [path.stem for path in PACKAGE.glob("[!_]*.py")]

    assert len(folders) > 20
    assert [] == [str(path) for path in folders if not named & {path.relative_to(PACKAGE).as_posix(), path.name}]
    assert [] == [module for module in modules if not re.search(rf"\b{module}\b", text)]


def test_every_dependency_earns_its_place() -> None:
    """The table of docs/choices.md names exactly the packages that users install."""
    project = tomllib.loads(text_of(ROOT / "pyproject.toml"))["project"]
    extras = [line for lines in project["optional-dependencies"].values() for line in lines]
    expected = {re.split(r"[ ;>=<]", line)[0] for line in [*project["dependencies"], *extras]}
    table = cells(section(text_of(DOCS / "choices.md"), "Dependencies"))

    assert expected == {name for row in table for name in names(row[0])} - {"encryption"}


# docs/doctor.md


def test_every_kind_of_finding_has_a_row() -> None:
    """The table of docs/doctor.md lists every kind of finding, in the order of `doctor`."""
    table = text_of(DOCS / "doctor.md").partition("\n## ")[0]

    assert list(KINDS) == [names(row[0])[0] for row in cells(table)]


# CONTRIBUTING.md


def test_recipes_name_files_that_exist() -> None:
    """Every path in the recipes exists, in the repository or in the package; NAME stands for a new one."""
    recipes = text_of(ROOT / "CONTRIBUTING.md").partition("## Recipes")[2].partition("## Pythons")[0]
    paths = {name for name in names(recipes) if re.fullmatch(r"[\w./-]+/[\w.-]*|[\w-]+\.pyi?", name)}
    given = [path for path in paths if "NAME" not in path]
    missing = [path for path in given if not (ROOT / path).exists() and not (PACKAGE / path).exists()]

    assert len(given) > 30
    assert [] == missing


# docs/json.md


def test_exit_codes_are_those_of_the_errors() -> None:
    """The table of exit codes names every error with its code, in the words of its docstring."""
    expected = {error.__name__: [str(answer.exit_code), error.__doc__] for error, answer in ANSWERS.items()}
    table = cells(section(text_of(DOCS / "json.md"), "Exit codes"))

    assert expected == {names(error)[0]: [code, when] for code, error, when in table if error}


Schema = dict[str, str]


@pytest.fixture(scope="module")
def contract() -> dict[str, Schema]:
    """Return key to type for every command and object of docs/json.md."""
    text = text_of(DOCS / "json.md")
    titles = re.findall(r"^### (.+)$", text, re.MULTILINE)
    return {title: {key: row[1] for row in cells(section(text, title)) for key in names(row[0])} for title in titles}


def faults(value: Any, kind: str, contract: dict[str, Schema], place: str) -> Iterator[str]:
    """Yield every way in which a value differs from its type on the page."""
    kind, _, nothing = kind.partition(" or ")
    plain: dict[str, type | tuple[type, ...]] = {"text": str, "number": (int, float), "boolean": bool}
    if kind == "any" or (value is None and nothing == "null"):
        return
    if kind.startswith(("list of ", "map of ")):
        container, _, inner = kind.partition(" of ")
        if not isinstance(value, list if container == "list" else dict):
            yield f"{place}: not a {container}"
        items: Iterable[Any] = value.values() if isinstance(value, dict) else value
        for item in items:
            yield from faults(item, inner, contract, place)
    elif kind == "time":
        if not re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", str(value)):
            yield f"{place}: not a time: {value}"
    elif kind in plain:
        if not isinstance(value, plain[kind]) or (kind == "number" and isinstance(value, bool)):
            yield f"{place}: not a {kind}: {value!r}"
    else:
        yield from faults_of_object(value, contract[kind], contract, place)


def faults_of_object(value: Any, schema: Schema, contract: dict[str, Schema], place: str) -> Iterator[str]:
    """Yield keys that are not on the page, keys of the page that are missing, and values of another type."""
    required = {key for key, kind in schema.items() if not kind.endswith(", optional")}
    yield from (f"{place}.{key}: not documented" for key in value.keys() - schema.keys())
    yield from (f"{place}.{key}: missing" for key in required - value.keys())
    for key in value.keys() & schema.keys():
        yield from faults(value[key], schema[key].removesuffix(", optional"), contract, f"{place}.{key}")


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a home with sessions of every product, once for all commands that are tried on it."""
    home = tmp_path_factory.mktemp("everything") / "home"
    return write_desktop(write_demo_home(home))


@pytest.fixture
def everything(written: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make that home the user's, and keep its index for the next command."""
    monkeypatch.setenv("HOME", str(written))
    monkeypatch.setenv("BACKSCROLL_HOME", str(written.parent / "ours"))
    return written


@pytest.mark.parametrize(
    "command",
    [
        "overview",
        "stores",
        "list --all --agents",
        "list --all",
        "list --sidebar ann@example.com",
        f"show {SESSION_WITH_AGENTS}",
        f"show {SESSION_WITH_DAMAGE}",
        "show 5d1a7b92 --all-branches",
        "show a0b1c2d3 --format json",
        f"resume {SESSION_WITH_AGENTS}",
        f"tree {SESSION_WITH_AGENTS}",
        "tree 3f0c2a51",
        "search the",
        "search the --context 1 --limit 2",
        "calls",
        "files",
        "files --patch 3f0c2a51",
        "recover amounts.py",
        "recover --version 2 amounts.py",
        "recover --diff 3 4 amounts.py",
        "recover --grep float",
        "blame amounts.py",
        "share latest --plan",
        "recover --write NEW --all --project ledger",
        "usage",
        "usage --by session,model,block",
        "usage --audit",
        f"usage --audit --session {SESSION_WITH_AGENTS}",
        f"usage --timeline --session {SESSION_WITH_AGENTS}",
        "tools",
        "doctor",
        "drift",
        "drift assistant",
        "redact 3f0c2a51",
        "worktrees",
        "flags",
        "flags --diff /tmp",
        "storage",
        "storage --everything --deleted",
        "storage --marks",
        "accounts",
        "cowork",
        "cowork 6b1e7c44",
        "stores --logs",
        "stores --mcp",
        "show --logs e08b4d71",
        "index --rebuild",
    ],
)
def test_json_is_as_documented(
    command: str, everything: Path, contract: dict[str, Schema], capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    """Every key that a command prints stands in docs/json.md with its type, and every key of the page is printed."""
    code = run([*command.replace("NEW", str(everything / "new")).split(), "--json"])
    name = max((title for title in contract if f"{command} ".startswith(f"{title} ")), key=len)
    answer = json.loads(capsysbinary.readouterr().out)

    assert 0 == code
    assert [] == list(faults_of_object(answer, contract[name], contract, name))


@pytest.mark.parametrize(
    "command, kind",
    [
        ("list", "SESSION"),
        (f"show {SESSION_WITH_AGENTS}", "MESSAGE"),
        ("calls", "CALL"),
        ("files", "FILE"),
        ("recover --grep a", "MATCH"),
        ("search the", "HIT"),
    ],
)
def test_json_lines_are_as_documented(
    command: str, kind: str, everything: Path, contract: dict[str, Schema], capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    """With --jsonl each line is one object of docs/json.md."""
    assert everything.is_dir()
    code = run([*command.split(), "--jsonl"])
    lines = capsysbinary.readouterr().out.splitlines()

    assert 0 == code
    assert len(lines) > 1
    assert [] == [fault for line in lines for fault in faults(json.loads(line), kind, contract, kind)]


def test_every_documented_object_is_used(contract: dict[str, Schema]) -> None:
    """No object of docs/json.md is left over: each is the type of some key."""
    types = {word for schema in contract.values() for kind in schema.values() for word in re.findall("[A-Z]+", kind)}

    assert {name for name in contract if name.isupper()} == types


# docs/cli.md and docs/python.md


def test_python_and_commands_link_to_each_other() -> None:
    """Each section of docs/python.md about a command links to it, and docs/cli.md links back."""
    commands = text_of(DOCS / "cli.md")
    there = re.findall(r"^As \[`backscroll[^]]*\]\(cli\.md#([\w-]+)\)", text_of(DOCS / "python.md"), re.MULTILINE)
    back = re.findall(r"^## (.+)\n\n\[In Python\]", commands, re.MULTILINE)

    assert set(there) == {anchor(title) for title in back}
