"""Write src/backscroll/functions.py and src/backscroll/__init__.pyi: `python scripts/write_public_names.py [--check]`.

The methods of `Library` and the table of names in `backscroll/__init__.py` are written by hand, once.
From the methods this makes a function each, which opens a Library, calls the method and closes the Library again.
From the table it makes the stub that type checkers read instead of the lazy imports.
With --check it writes nothing, and fails if a file is out of date.
"""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import backscroll

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "backscroll"
VERBS = PACKAGE / "verbs"

NO_UPDATE = {"update_index", "storage", "marks", "flags", "compare_flags", "drift", "drift_json_schema", "watch"}
"""Functions that do not ask the catalogue first, so that `update` would say nothing."""
NO_PROGRESS = {"storage", "marks", "flags", "compare_flags"}
"""Functions that read so little that they report no progress."""

NAMES: dict[str, tuple[str, ...]] = vars(backscroll)["_PUBLIC_NAMES"]
RENAMED: dict[str, str] = vars(backscroll)["_RENAMED"]


FUNCTIONS_HEADER = '''"""The functions of the package: each opens a Library, calls one method and closes it.

Written by scripts/write_public_names.py from the methods in verbs/; change those, then run `make docs`.
"""

'''
STUB_HEADER = """# The public names of backscroll, for type checkers.
# Written by scripts/write_public_names.py from the table in __init__.py; change that, then run `make docs`.

"""


class Method:
    """A method of the Library, as its source has it."""

    def __init__(self, node: ast.FunctionDef, imports: dict[str, str]) -> None:
        self.name = node.name
        self._node = node
        self._arguments = node.args
        self._imports = imports

    def code(self) -> str:
        """Return the function that stands for the method."""
        is_context = any(ast.unparse(item) == "contextmanager" for item in self._node.decorator_list)
        is_iterator = any(isinstance(node, ast.Yield | ast.YieldFrom) for node in _own_nodes(self._node))
        returned = ast.unparse(self._node.returns) if self._node.returns else "None"
        summary = (ast.get_docstring(self._node) or "").partition("\n\n")[0].replace("\n", " ")
        body = self._body(is_context=is_context, is_iterator=is_iterator)
        decorator = "@contextmanager\n" if is_context else ""
        return (
            f"{decorator}def {self.name}({self._signature()}) -> {returned}:\n"
            f'    """{summary}"""\n'
            f"    with open_library({self._opening()}) as library{body}\n"
        )

    def imports(self) -> Iterator[str]:
        """Yield the import statements that the signature needs."""
        annotations = [item.annotation for item in self._parameters()] + [self._node.returns]
        defaults = [*self._arguments.defaults, *self._arguments.kw_defaults]
        for part in filter(None, annotations + defaults):
            for node in ast.walk(part):
                if isinstance(node, ast.Name) and node.id in self._imports:
                    yield self._imports[node.id]
        if any(ast.unparse(item) == "contextmanager" for item in self._node.decorator_list):
            yield "from contextlib import contextmanager"

    def _parameters(self) -> list[ast.arg]:
        return [*self._arguments.args[1:], *self._arguments.kwonlyargs]

    def _signature(self) -> str:
        given = self._arguments
        places = [None] * (len(given.args) - len(given.defaults)) + [*given.defaults]
        by_place = [_parameter(item, default) for item, default in zip(given.args, places, strict=True)][1:]
        by_name = [_parameter(item, default) for item, default in zip(given.kwonlyargs, given.kw_defaults, strict=True)]
        by_name += [] if self.name in NO_UPDATE else ["update: bool = True"]
        by_name += [] if self.name in NO_PROGRESS else ["on_progress: OnProgress = None"]
        return ", ".join([*by_place, "root: Root = None", *(["*", *by_name] if by_name else [])])

    def _opening(self) -> str:
        update = [] if self.name in NO_UPDATE else ["update=update"]
        return ", ".join(["root", *update, *([] if self.name in NO_PROGRESS else ["on_progress=on_progress"])])

    def _body(self, *, is_context: bool, is_iterator: bool) -> str:
        by_place = [item.arg for item in self._arguments.args[1:]]
        by_name = [f"{item.arg}={item.arg}" for item in self._arguments.kwonlyargs]
        call = f"library.{self.name}({', '.join(by_place + by_name)})"
        if is_context:
            return f", {call} as opened:\n        yield opened"
        return f":\n        yield from {call}" if is_iterator else f":\n        return {call}"


def main() -> int:
    """Write both files, or compare them with the current ones."""
    texts = {
        PACKAGE / "functions.py": functions(),
        PACKAGE / "__init__.pyi": stub(),
    }
    stale = [path for path, text in texts.items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    if "--check" in sys.argv[1:]:
        for path in stale:
            print(f"{path.relative_to(ROOT)} is out of date: run `make docs`", file=sys.stderr)
        return 1 if stale else 0
    for path in stale:
        path.write_text(texts[path], encoding="utf-8")
    return 0


def functions() -> str:
    """Return the text of functions.py."""
    wanted = set(NAMES["backscroll.functions"])
    methods = [method for method in _methods() if method.name in wanted]
    if missing := wanted - {method.name for method in methods}:
        raise SystemExit(f"no method of the Library is named {', '.join(sorted(missing))}")
    imports = {line for method in methods for line in method.imports()}
    imports |= {"from backscroll.library import open_library", "from backscroll.verbs.base import OnProgress, Root"}
    code = "\n\n".join(method.code() for method in methods)
    return _formatted(FUNCTIONS_HEADER + "\n".join(sorted(imports)) + "\n\n\n" + code)


def stub() -> str:
    """Return the text of __init__.pyi."""
    lines = [f"from {module} import {_original(name)} as {name}" for module, names in NAMES.items() for name in names]
    listed = ", ".join(f'"{name}"' for name in backscroll.__all__)
    lines.append("from backscroll.version import __version__ as __version__")
    return _formatted(STUB_HEADER + "\n".join(sorted(lines)) + f"\n\n__all__ = [{listed}]\n", name="__init__.pyi")


def _original(name: str) -> str:
    return RENAMED.get(name, name)


def _methods() -> Iterator[Method]:
    for path in sorted(VERBS.glob("*.py")):
        tree = ast.parse(path.read_bytes(), str(path))
        imports = dict(_imports(tree))
        classes = [node.name for node in tree.body if isinstance(node, ast.ClassDef)]
        imports |= {name: f"from backscroll.verbs.{path.stem} import {name}" for name in classes}
        for node in tree.body:
            if isinstance(node, ast.ClassDef):
                for item in node.body:
                    if isinstance(item, ast.FunctionDef) and not item.name.startswith("_"):
                        yield Method(item, imports)


def _imports(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Yield each name that a module imports, and the statement that does so alone."""
    for node in ast.walk(tree):
        for alias in node.names if isinstance(node, ast.Import | ast.ImportFrom) else ():
            origin = f"from {node.module} " if isinstance(node, ast.ImportFrom) else ""
            renamed = f" as {alias.asname}" if alias.asname else ""
            yield alias.asname or alias.name, f"{origin}import {alias.name}{renamed}"


def _own_nodes(function: ast.FunctionDef) -> Iterator[ast.AST]:
    """Yield the nodes of a function, without those of functions inside it."""
    waiting: list[ast.AST] = list(function.body)
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, ast.FunctionDef | ast.Lambda):
            waiting.extend(ast.iter_child_nodes(node))


def _parameter(item: ast.arg, default: ast.expr | None) -> str:
    annotation = f": {ast.unparse(item.annotation)}" if item.annotation else ""
    return f"{item.arg}{annotation}" + (f" = {ast.unparse(default)}" if default is not None else "")


def _formatted(text: str, name: str = "functions.py") -> str:
    """Sort the imports and lay the code out, as ruff does with all other files."""
    ruff = str(Path(sys.executable).with_name("ruff"))
    path = ["--stdin-filename", str(PACKAGE / name), "-"]
    for command in ([ruff, "check", "--quiet", "--select", "I", "--fix", *path], [ruff, "format", "--quiet", *path]):
        text = subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout
    return text


if __name__ == "__main__":
    sys.exit(main())
