"""Measure the size and shape of the package, and print a Markdown table.

Lines are lines that are not blank.  A cycle is a set of modules that import each other at the top level;
`lazily("…")` counts as an import, and `TYPE_CHECKING` blocks do not.
"""

import ast
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from statistics import median

TOP = Path(__file__).parent.parent
PACKAGE = TOP / "src" / "backscroll"
FULLEST = 5
GENERATED = "functions.py"
"""Written by scripts/write_public_names.py; nobody reads it as a module."""


def lines_of(path: Path) -> int:
    """Return the number of lines that are not blank."""
    return sum(1 for line in path.read_text("utf-8").splitlines() if line.strip())


def sizes(values: Iterable[int]) -> str:
    """Return median, 90th percentile and maximum as text."""
    ordered = sorted(values)
    return f"{median(ordered):.0f} / {ordered[len(ordered) * 9 // 10]} / {ordered[-1]}"


def functions(tree: ast.Module, text: str) -> Iterator[int]:
    """Yield the number of lines of each function, without blank ones."""
    lines = text.splitlines()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield sum(1 for line in lines[node.lineno - 1 : node.end_lineno] if line.strip())


def name_of(path: Path) -> str:
    """Return the dotted name of a module."""
    return ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__")


def imports(tree: ast.Module, names: set[str]) -> set[str]:
    """Return the modules of ours that a module imports when it is imported, or lazily."""
    found: set[str] = set()
    for statement in tree.body:
        if isinstance(statement, ast.ImportFrom) and statement.module:
            found |= {statement.module, *(f"{statement.module}.{item.name}" for item in statement.names)}
        elif isinstance(statement, ast.Import):
            found |= {item.name for item in statement.names}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "lazily":
            found |= {str(item.value) for item in node.args if isinstance(item, ast.Constant)}
    modules = found & names
    return {name for name in modules if not any(other.startswith(f"{name}.") for other in modules)}


def cycles(graph: dict[str, set[str]]) -> int:
    """Return the number of import cycles: remove modules that import nothing until none is left to remove."""
    left = {name: set(targets) for name, targets in graph.items()}
    while done := {name for name, targets in left.items() if not targets & left.keys()}:
        for name in done:
            del left[name]
    while done := {name for name in left if not any(name in targets for targets in left.values())}:
        for name in done:
            del left[name]
    return len(left)


def public_names() -> int:
    """Return the number of names in `backscroll.__all__`."""
    import backscroll  # noqa: PLC0415 - the measurement needs nothing else of it

    return len(backscroll.__all__)


def rows() -> Iterator[tuple[str, str, str]]:
    """Yield (what, goal, measured) for each row of the table."""
    paths = sorted(PACKAGE.rglob("*.py"))
    texts = {path: path.read_text("utf-8") for path in paths}
    trees = {path: ast.parse(text) for path, text in texts.items()}
    code = sum(map(lines_of, paths))
    modules = [path for path in paths if path.name != "__init__.py"]
    folders = Counter(str(path.parent.relative_to(PACKAGE)) for path in modules)
    classes = Counter(node.name for tree in trees.values() for node in tree.body if isinstance(node, ast.ClassDef))
    repeated = sorted(name for name, count in classes.items() if count > 1)
    names = {name_of(path) for path in paths}
    graph = {name_of(path): imports(tree, names) - {name_of(path)} for path, tree in trees.items()}
    tests = sum(map(lines_of, (TOP / "tests").rglob("*.py")))
    public = [name for name in repeated if not name.startswith("_")]

    yield "modules / lines", "", f"{len(modules)} / {code:,}"
    written = [path for path in modules if path.name != GENERATED]
    yield "written module median / p90 / max", "70 to 220, max 400", sizes(map(lines_of, written))
    lengths = (length for path, tree in trees.items() for length in functions(tree, texts[path]))
    yield "function median / p90 / max", "6 / 25", sizes(lengths)
    fullest = ", ".join(f"{name} {count}" for name, count in folders.most_common(FULLEST))
    yield "files in the fullest folders", "about 12", fullest
    yield "public class names defined more than once", "0", f"{len(public)} ({', '.join(public)})" if public else "0"
    yield "private class names defined more than once", "", str(len(repeated) - len(public))
    yield "public names", "", str(public_names())
    yield "modules in import cycles", "0", str(cycles(graph))
    yield "test lines per code line", "", f"{tests / code:.2f}"


def main() -> int:
    """Print the table."""
    sys.stdout.write("| | goal | measured |\n|---|---|---|\n")
    sys.stdout.writelines(f"| {what} | {goal} | {measured} |\n" for what, goal, measured in rows())
    return 0


if __name__ == "__main__":
    sys.exit(main())
