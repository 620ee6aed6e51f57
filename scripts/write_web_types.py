"""Write the types of the API for the web page from the tables of docs/json.md."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "docs/json.md"
TARGET = ROOT / "web-page/src/types.ts"
HEAD = "// Written by scripts/write_web_types.py from docs/json.md: change that page, then run `make docs`.\n"
_PLAIN = {"text": "string", "time": "string", "number": "number", "boolean": "boolean", "any": "unknown"}
_SECTION = re.compile(r"^### ([A-Za-z][\w -]*)\n(.*?)(?=^#{2,3} |\Z)", re.MULTILINE | re.DOTALL)
_FIELD = re.compile(r"^\| (`\w+`(?:, `\w+`)*) \| ([^|]+) \|", re.MULTILINE)


def typescript_type(words: str) -> str:
    """Return the TypeScript type of a type in docs/json.md."""
    words = words.strip()
    if words.endswith(" or null"):
        return f"{typescript_type(words.removesuffix(' or null'))} | null"
    if words.startswith("list of "):
        return f"Array<{typescript_type(words.removeprefix('list of '))}>"
    if words.startswith("map of "):
        return f"Record<string, {typescript_type(words.removeprefix('map of '))}>"
    return _PLAIN.get(words) or (_name(words) if words.isupper() else "unknown")


def _name(heading: str) -> str:
    """Return the name of a type: `Session` for SESSION, `ShowOffsetAnswer` for `show --offset`."""
    if heading.isupper():
        return heading.capitalize()
    return "".join(word.capitalize() for word in re.findall(r"\w+", heading)) + "Answer"


def _fields(body: str) -> list[str]:
    found: dict[str, str] = {}
    for names, words in _FIELD.findall(body):
        is_optional = words.strip().endswith(", optional")
        shown = typescript_type(words.strip().removesuffix(", optional"))
        for name in re.findall(r"\w+", names):
            found[name] = f"  {name}{'?' if is_optional else ''}: {shown};"
    return list(found.values())


def definitions(document: str) -> str:
    """Return one interface for each table of the document."""
    found = {}
    for heading, body in _SECTION.findall(document):
        if fields := _fields(body):
            found[_name(heading)] = "\n".join([f"export interface {_name(heading)} {{", *fields, "}", ""])
    return HEAD + "\n" + "\n".join(found.values())


def main() -> int:
    """Write the file; with `--check` only compare."""
    made = definitions(SOURCE.read_text(encoding="utf-8"))
    if "--check" not in sys.argv:
        TARGET.write_text(made, encoding="utf-8")
        return 0
    if TARGET.read_text(encoding="utf-8") == made:
        return 0
    print(f"{TARGET.relative_to(ROOT)} is out of date: run make docs")
    return 1


if __name__ == "__main__":
    sys.exit(main())
