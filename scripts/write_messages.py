"""Write docs/messages.md: every sentence that the program prints; with `--check` fail if the page is out of date.

Taken from the source: every text of three words and more that is neither a docstring nor code.
A value that is filled in stands as {name}.
"""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TypeGuard

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "backscroll"
PAGE = ROOT / "docs" / "messages.md"
HEAD = """# Messages

Every sentence that the program prints, by the module that prints it; `make docs` writes this page.
A value that is filled in stands as {name}.
"""
FEWEST_WORDS = 3
NOT_PRINTED = (
    *("demo/", "index/schema.py", "formats/json/salvage.py", "sessions/transcript/outcomes.py"),
    *("sessions/file_changes/statements.py", "stores/desktop_files/manifests.py", "views/html/texts.py"),
)
"""Modules whose texts are data: the made-up home, the schema, words that Claude Code writes, names of fields."""
CODE = re.compile(
    r"\b(SELECT|INSERT|UPDATE|DELETE|CREATE|WHERE|JOIN|PRAGMA|VACUUM|ORDER BY|CASE|GROUP BY|NULL|ROLLBACK|DROP)\b"
    r"|-src 'none|%Y|%\(prog|coalesce\(|[<>]\w|\(\?|\\[swdb]|[{};]\s*$|:\s*\w+;|\w\[[A-Za-z]+[\],]"
    r"| \| (None|Damage|float)|^, \"|^\{\"|^#!|^\w+/|^[^\w`'(\[{—…≥│?-]|[\x00-\x08\x0b-\x1f]|\w::|^\w+_\w+$"
)
"""SQL, HTML, CSS, scripts, types and regular expressions."""
WORD = re.compile(r"[A-Za-z][A-Za-z'-]*")


def text_of(node: ast.expr) -> str | None:
    """Return a text with its filled-in values by name; None where it is no text."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.JoinedStr):
        return "".join(
            str(part.value) if isinstance(part, ast.Constant) else "{" + ast.unparse(part.value) + "}"
            for part in node.values
            if isinstance(part, ast.Constant | ast.FormattedValue)
        )
    return None


def is_sentence(text: str) -> bool:
    """Return True if a text has some words of plain English."""
    bare = re.sub(r"\{[^{}]*\}", "VALUE", text).strip()
    return len(WORD.findall(bare)) >= FEWEST_WORDS and " " in text.strip() and not CODE.search(bare)


def left_out(tree: ast.Module) -> set[int]:
    """Return the nodes that hold no printed text: docstrings, parts of longer texts, patterns."""
    found: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            found.add(id(node.value))
        elif isinstance(node, ast.JoinedStr):
            found.update(
                id(part) for value in node.values for part in ast.walk(value) if isinstance(part, ast.Constant)
            )
        elif isinstance(node, ast.Call) and ast.unparse(node.func) in ("re.compile", "examples"):
            found.update(id(part) for part in ast.walk(node))
    return found


def is_command(node: ast.AST) -> TypeGuard[ast.FunctionDef]:
    """Return True for the function of a command, whose docstring is its help."""
    return isinstance(node, ast.FunctionDef) and node.name == "command" and bool(node.decorator_list[1:])


def sentences(path: Path) -> Iterator[str]:
    """Yield the sentences of one module, in its order."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    skipped = left_out(tree)
    for node in ast.walk(tree):
        if is_command(node) and (text := ast.get_docstring(node)):
            yield from (" ".join(part.split()) for part in text.split("\n\n"))
        elif id(node) not in skipped and isinstance(node, ast.Constant | ast.JoinedStr):
            text = text_of(node) or ""
            if is_sentence(text):
                yield " ".join(text.split())


def page() -> str:
    """Return the page."""
    parts = [HEAD]
    for path in sorted(SOURCE.rglob("*.py")):
        name = path.relative_to(SOURCE).as_posix()
        found = [] if name.startswith(NOT_PRINTED) else list(dict.fromkeys(sentences(path)))
        if found:
            parts.append(f"## {name}\n\n```text\n" + "\n".join(found) + "\n```\n")
    return "\n".join(parts)


def main() -> int:
    """Write the page, or compare it."""
    text = page()
    if "--check" not in sys.argv:
        PAGE.write_text(text, encoding="utf-8")
        return 0
    if PAGE.exists() and PAGE.read_text(encoding="utf-8") == text:
        return 0
    sys.stderr.write("docs/messages.md is not up to date: run python scripts/write_messages.py.\n")
    return 1


if __name__ == "__main__":
    sys.exit(main())
