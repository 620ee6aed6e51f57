"""Rules that hold for the whole package, whatever it grows into."""

import ast
import doctest
import importlib
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import ModuleType

import click
import pytest

import backscroll

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "backscroll"
MODULES = sorted(path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.py"))
FACES = ("__main__.py", "cli/")
WRITERS = ("files.py", "new_files.py", "index/", "changes/", "archive/part.py")

MOST_FILES = 14
"""In one folder, `__init__.py` not counted."""
MOODS = {
    "few",
    "lag",
    "glance",
    "found",
    "typed",
    "marking",
    "texting",
    "later",
    "opened",
    "beside",
    "near",
    "seen",
    "told",
    "anew",
    "soundness",
}
"""Words that name no thing: no module is called so."""

LONGEST_FUNCTION = 60
LONGEST_MODULE = 400
GENERATED = "functions.py"
"""It has a function for every verb; scripts/write_public_names.py writes it."""


@cache
def nodes_of(module: str) -> list[ast.AST]:
    """Return every node of a module's code."""
    return list(ast.walk(ast.parse((PACKAGE / module).read_bytes(), module)))


def nodes(outside: tuple[str, ...] = ()) -> Iterator[tuple[str, ast.AST]]:
    """Yield every node of the package's code with its place, but for modules that begin with one of `outside`."""
    for module in MODULES:
        if not module.startswith(outside):
            for node in nodes_of(module):
                yield f"{module}:{getattr(node, 'lineno', 1)}", node


def calls(outside: tuple[str, ...] = ()) -> Iterator[tuple[str, str, ast.Call]]:
    """Yield every call with its place and the bare name of what is called: `open` for `path.open()` too."""
    for place, node in nodes(outside):
        if isinstance(node, ast.Call):
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            yield place, name, node


def imported(outside: tuple[str, ...] = ()) -> Iterator[tuple[str, str]]:
    """Yield every top-level package that is imported, with the place of the import."""
    for place, node in nodes(outside):
        if isinstance(node, ast.Import):
            yield from ((place, alias.name.partition(".")[0]) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield place, (node.module or "").partition(".")[0]


def opens_for_writing(call: ast.Call) -> bool:
    """Tell whether a call of `open` names a mode that writes."""
    arguments = [*call.args, *(keyword.value for keyword in call.keywords)]
    texts = [node.value for node in arguments if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    return any(re.fullmatch(r"[rwaxbt+]+", text) and set(text) & set("wax+") for text in texts)


def commands(group: click.Group, parent: click.Context) -> Iterator[tuple[str, click.Context]]:
    """Yield every command below `group`, by its full name."""
    for name in group.list_commands(parent):
        command = group.get_command(parent, name)

        assert command is not None, f"{name} is listed, but cannot be loaded"

        context = click.Context(command, parent=parent, info_name=name)
        yield context.command_path, context
        if isinstance(command, click.Group):
            yield from commands(command, context)


def all_commands() -> dict[str, click.Context]:
    """Load the whole command line."""
    cli: click.Group = importlib.import_module("backscroll.cli.main").cli
    root = click.Context(cli, info_name="backscroll")
    return {"backscroll": root, **dict(commands(cli, root))}


def test_public_names_are_listed() -> None:
    """`backscroll.__all__` is sorted, and names exactly what the package offers."""
    offered = {name: getattr(backscroll, name) for name in dir(backscroll) if not name.startswith("_")}
    public = {name for name, value in offered.items() if not isinstance(value, ModuleType)}

    assert sorted(set(backscroll.__all__)) == list(backscroll.__all__)
    assert public | ({"__version__"} & set(backscroll.__all__)) == set(backscroll.__all__)
    assert all(getattr(backscroll, name).__doc__ for name in public if callable(getattr(backscroll, name)))


def test_every_command_explains_itself() -> None:
    """Every command has a help text with examples."""
    helps = {name: context.command.help or "" for name, context in all_commands().items()}

    assert [] == [name for name, text in helps.items() if not re.search(r"^\s*Examples:", text, re.MULTILINE)]


def test_every_command_is_documented() -> None:
    """Every command that is not hidden stands in docs/cli.md under its own heading."""
    page = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8").splitlines()
    shown = [name for name, context in all_commands().items() if not context.command.hidden]

    assert [] == [name for name in shown if f"## {name}" not in page]


def test_command_page_is_up_to_date() -> None:
    """docs/cli.md is what the commands say of themselves now."""
    script = ROOT / "scripts" / "write_cli_docs.py"
    done = subprocess.run([sys.executable, script, "--check"], check=False, capture_output=True, text=True)

    assert (0, "") == (done.returncode, done.stderr)


def test_python_page_runs(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The examples of docs/python.md give what the page says, on the demo home."""
    importlib.import_module("backscroll.demo").write_demo_home(home)
    monkeypatch.chdir(home)
    page = ROOT / "docs" / "python.md"
    text = re.sub(r"^```.*$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    examples = doctest.DocTestParser().get_doctest(text, {}, page.name, str(page), 0)
    report: list[str] = []
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    result = doctest.DocTestRunner(optionflags=flags).run(examples, out=report.append)

    assert result.attempted > 0
    assert "" == "".join(report)


CHANGING = {"add", "append", "clear", "discard", "extend", "insert", "pop", "popitem", "remove", "setdefault", "update"}
PURE = {
    "index/update/derived/sessions.py:_texts",
    "index/update/fact_columns.py:stored_texts",
    "index/words/documents.py:_model_tags",
    "query/fields.py:session_number",
    "query/words.py:_stands_alone",
    "query/words.py:humps",
    "sessions/file_changes/change.py:absolute_path",
    "sessions/file_changes/change.py:folded_path",
    "sessions/file_changes/statements.py:tool_name",
    "sessions/transcript/moments.py:_quarter",
    "sessions/transcript/rows.py:_is_placeholder_version",
    "sessions/transcript/rows.py:_same",
    "stats/prices.py:model_of",
    "stores/project_key.py:could_be",
    "views/html/page.py:_script",
    "views/html/page.py:policy",
    "views/html/site.py:_base36",
    "views/html/texts.py:_colour",
    "views/html/texts.py:_lexer",
    "web/app.py:_content",
    "web/app.py:_packed",
}
"""Functions that keep results by their arguments: each depends on these alone, or on a file of this package."""


def walks() -> dict[str, list[str]]:
    """Return the steps of the walks that docs/design.md draws, by the line above each."""
    page = (ROOT / "docs" / "design.md").read_text(encoding="utf-8")
    drawn = re.findall(r"^(From [^\n]*):\n\n```\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    steps = {title: re.sub(r"\(.*?\)", "", text).split("→") for title, text in drawn}
    return {title: [step.strip() for step in found] for title, found in steps.items()}


def module_near(step: str, previous: Path) -> Path | None:
    """Return the path of a step: beside the module before it, in a folder above that one, or in the package."""
    places = (folder / f"{step}.py" for folder in previous.parents)
    return next((place for place in places if (PACKAGE / place).exists()), None)


WALKS = {
    "From the bytes of a record to a line of `list`": ["list"],
    "From a query to a hit": ["search", "the"],
}


@pytest.mark.parametrize("title", WALKS)
def test_walks_pass_through_modules_that_run(title: str, home: Path) -> None:
    """Each of at most twelve modules in a walk of docs/design.md exists, and the command of the walk imports it."""
    steps = walks()[title]
    found = [Path("none.py")]
    for step in steps:
        place = module_near(step, found[-1])

        assert place, f"{step} is no module"

        found.append(place)
    importlib.import_module("backscroll.demo").write_demo_home(home)
    program = "import sys; from backscroll.cli.main import run; run(sys.argv[1:]); print(*sys.modules, file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", program, *WALKS[title]], capture_output=True, text=True, check=True)
    paths = {name.removeprefix("backscroll.").replace(".", "/") + ".py" for name in done.stderr.split()}

    assert WALKS.keys() == walks().keys()
    assert 8 < len(steps) <= 12
    assert [] == [place.as_posix() for place in found[1:] if place.as_posix() not in paths]


BY_NAMES = "index/integrity.py"
"""Looks through all columns of all tables, by names that were found equal to those of our own schema."""


def test_sql_is_never_composed() -> None:
    """No statement is put together from pieces: values go to SQLite as parameters."""
    composed = (ast.JoinedStr, ast.BinOp, ast.Call)
    runs = {"execute", "executemany", "executescript"}
    found = [place for place, name, call in calls() if name in runs and isinstance(call.args[0], composed)]

    assert [] == [place for place in found if not place.startswith(BY_NAMES)]


def test_only_the_index_knows_sqlite() -> None:
    """SQL is the index's; beside it only the archive and the reader of Chromium's databases import sqlite3."""
    elsewhere = ("index/", "archive/", "stores/archived.py", "formats/chromium/sqlite.py")

    assert [] == [place for place, package in imported(outside=elsewhere) if package == "sqlite3"]


def test_only_faces_speak() -> None:
    """Below the faces nothing prints or ends the program, and nothing warns but an index that cannot be kept."""
    said = [place for place, name, call in calls(FACES) if name == "print" or ast.unparse(call.func) == "sys.exit"]
    warned = [place for place, package in imported((*FACES, "index/db.py")) if package == "warnings"]

    assert [] == said + warned


def cached_functions() -> Iterator[tuple[str, str]]:
    """Yield every function with parameters whose results are kept: place and decorator."""
    for place, node in nodes():
        if isinstance(node, ast.FunctionDef) and (node.args.args or node.args.kwonlyargs):
            for decorator in map(ast.unparse, node.decorator_list):
                if decorator.partition("(")[0] in {"cache", "lru_cache"}:
                    yield f"{place.partition(':')[0]}:{node.name}", decorator


def test_caches_are_bounded_and_pure() -> None:
    """A cache that outlives its Library has a bound, and only functions that read no file have one."""
    cached = dict(cached_functions())

    assert {} == {place: text for place, text in cached.items() if not re.search(r"\d", text)}
    assert PURE == set(cached)


def own_names(module: str) -> set[str]:
    """Return the names that a module assigns at its top level."""
    tree = ast.parse((PACKAGE / module).read_bytes(), module)
    statements = [node for node in tree.body if isinstance(node, ast.Assign | ast.AnnAssign)]
    names = [node for statement in statements for node in ast.walk(statement) if isinstance(node, ast.Name)]
    return {node.id for node in names if isinstance(node.ctx, ast.Store)}


def changed_names(module: str) -> Iterator[str]:
    """Yield the names whose values the functions of a module assign as globals or change in place."""
    functions = [node for node in nodes_of(module) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    for node in (inner for function in functions for inner in ast.walk(function)):
        if isinstance(node, ast.Global):
            yield from node.names
        elif isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
            yield ast.unparse(node.value)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in CHANGING:
            yield ast.unparse(node.func.value)


def test_no_module_remembers() -> None:
    """No function changes a value that its module holds: whatever is kept belongs to a Library or to one call."""
    changed = {module: own_names(module) & set(changed_names(module)) for module in MODULES}

    assert {} == {module: names for module, names in changed.items() if names}


def test_only_files_writes() -> None:
    """Only files.py, new_files.py, changes/, and the index and the archive for their own files open one for writing."""
    writes = {"write_text", "write_bytes"}
    found = [
        place
        for place, name, call in calls(WRITERS)
        if name in writes or ast.unparse(call.func) == "os.open" or (name == "open" and opens_for_writing(call))
    ]

    assert [] == found


def test_every_module_says_what_it_is_for() -> None:
    """Every module has a docstring."""
    assert [] == [place for place, node in nodes() if isinstance(node, ast.Module) and not ast.get_docstring(node)]


def test_functions_stay_short() -> None:
    """No function is longer than 60 lines."""
    functions = [(place, node) for place, node in nodes() if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    long = [place for place, node in functions if (node.end_lineno or 0) - node.lineno >= LONGEST_FUNCTION]

    assert [] == long


def test_modules_stay_short() -> None:
    """No module has more than 400 lines that are not blank."""
    texts = {module: (PACKAGE / module).read_bytes() for module in MODULES if module != GENERATED}
    sizes = {module: sum(map(bool, map(bytes.strip, text.split(b"\n")))) for module, text in texts.items()}

    assert {} == {module: size for module, size in sizes.items() if size > LONGEST_MODULE}


def test_class_names_are_unique() -> None:
    """No two public classes of the package have one name."""
    names = Counter(
        node.name for _, node in nodes() if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )

    assert [] == [name for name, number in names.items() if number > 1]


def test_folders_stay_small() -> None:
    """No folder has more than 14 modules."""
    folders = Counter(Path(module).parent for module in MODULES if not module.endswith("__init__.py"))

    assert {} == {str(folder): number for folder, number in folders.items() if number > MOST_FILES}


def test_modules_are_named_by_nouns() -> None:
    """No module's name is a mood that only its author understands."""
    assert [] == [module for module in MODULES if Path(module).stem in MOODS]


def imports_of(module: str) -> set[str]:
    """Return the modules of the package that a module imports at run time, at once or lazily."""
    types_only = {
        id(inner)
        for node in nodes_of(module)
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for part in node.body
        for inner in ast.walk(part)
    }
    named: list[str] = []
    for node in nodes_of(module):
        if isinstance(node, ast.Call) and ast.unparse(node.func) in {"lazily", "import_module"}:
            named += [str(item.value) for item in node.args if isinstance(item, ast.Constant)]
        elif isinstance(node, ast.ImportFrom) and id(node) not in types_only:
            named += [f"{node.module}.{alias.name}" for alias in node.names] + [str(node.module)]
    paths = {name.removeprefix("backscroll.").replace(".", "/") + ".py" for name in named}
    return paths & set(MODULES) - {module}


def test_imports_have_no_cycles() -> None:
    """No module imports itself through others, not even lazily."""
    waiting = {module: imports_of(module) for module in MODULES}
    while free := [module for module, needed in waiting.items() if not needed & waiting.keys()]:
        for module in free:
            del waiting[module]

    assert {} == {module: sorted(needed & waiting.keys()) for module, needed in waiting.items()}
