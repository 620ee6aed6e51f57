"""Find phrases that we no longer write, in code and documents; exit with code 1 if there are any.

`PHRASES` maps each phrase to a better way to write it; `IN_CODE` holds for docstrings and comments of the package only.
CONTRIBUTING.md has the rules of plain English.
"""

import ast
import io
import re
import sys
import tokenize
from collections.abc import Iterator, Mapping
from pathlib import Path

TOP = Path(__file__).parent.parent
PLACES = ("src/**/*.py", "src/**/*.pyi", "docs/*.md", "*.md", "scripts/*.py", "Makefile")
PHRASES = {
    # predicates
    r"say whether": 'begin with "Return True if"',
    r"says whether": "name the fact",
    r'"""whether': 'begin with "Return True if" or "True if"',
    r'"""(?:tell|say)': 'begin with "Return" or "Report"',
    # nouns that are clauses
    r'"""(?:what|where|who|whose)': "begin with the noun",
    r"(?:return|yield|find|give|show) (?:what|where|who|whose)": "name the thing",
    r"what `[a-z -]+` answers": 'write "The result of"',
    r"where was looked": 'write "where it looked"',
    r"(?:what|all that|everything that) is asked": "name the request",
    r"what was (?:said|asked|found|written|typed|spent)": "name the messages, the request, the result",
    r"whoever": "name the actor",
    r"as people (?:and scripts )?read (?:it|them)": 'write "for people"',
    # terms
    r"anew": 'write "again" or "rebuild"',
    r"tak(?:e|es|en|ing) in (?:words|the words|what)": 'write "add to the search index" or "read"',
    r"(?:are|is|was|were|be|been) taken in": 'write "read" or "added to the index"',
    r"is met|in step with": 'write "found", "up to date"',
    r"(?:say|says|said|tell|tells|told|put) in words": "describe the text",
    r"goes on where": 'write "continues"',
    r"writ(?:e|es|ten|ing) down|wrote down": 'write "record" or "store"',
    r"hand(?:s|ed)? (?:on|out)": 'write "return" or "emit"',
    r"so (?:much|many) (?:of|is|are|before|waits?)": 'begin with "The most" or "The number of"',
    r"reckon(?:s|ed|ing)?": 'write "compute"',
    r"in the making": 'write "incomplete"',
    r"(?:comes? in|in comes?|goes out|out comes?)(?=:)": 'write "Input:" and "Output:"',
    r"is told of": 'write "gets"',
    r"(?:is|are) (?:not )?told": 'write "shown", or name the actor',
    r"(?:counts?|mean) (?:for nothing|something)": 'write "ignored", "special"',
    r"no word of": 'write "no mention of"',
    r"scrub(?:s|bed|bing)?": 'write "made safe"; secrets are redacted',
    r"(?:was|is|are) looked into": 'write "examined"',
    r"may not be read": 'write "cannot be read"; "may not" reads as "perhaps not"',
    r"(?:not|never) believed": 'write "ignored" or "implausible"',
    r"packed (?:data|values?|in an)": 'write "compressed"',
    r"such a (?:project|model|git branch|tool)": 'write "of this name"',
}
IN_CODE = {r"what|whatever|whoever": "name the thing"}
QUOTED = re.compile(r"`[^`]*`|\"[^\"]*\"|“[^”]*”")
ALLOWED = ("scripts/check_phrases.py",)


def matches(line: str, phrases: Mapping[str, str]) -> Iterator[str]:
    """Yield each phrase in a line, with the better way to write it."""
    for phrase, reason in phrases.items():
        if found := re.search(rf"(?<!\w)(?:{phrase})(?!\w)", line, re.IGNORECASE):
            yield f"{found.group()}: {reason}"


def prose_of(code: str) -> Iterator[tuple[int, str]]:
    """Yield the lines of docstrings and comments with their numbers, without quoted words."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            text = QUOTED.sub(lambda found: "\n" * found.group().count("\n"), node.value.value)
            yield from enumerate(text.split("\n"), node.lineno)
    for token in tokenize.generate_tokens(io.StringIO(code).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], QUOTED.sub("", token.string)


def find(path: Path) -> Iterator[str]:
    """Yield a line for each phrase in a file."""
    text, name = path.read_text("utf-8"), path.relative_to(TOP)
    for number, line in enumerate(text.splitlines(), 1):
        yield from (f"{name}:{number}: {match}" for match in matches(line, PHRASES))
    if path.suffix == ".py" and name.is_relative_to("src"):
        for number, line in prose_of(text):
            yield from (f"{name}:{number}: {match}" for match in matches(line, IN_CODE))


def main() -> int:
    """Print all phrases; return the exit code."""
    paths = sorted({path for place in PLACES for path in TOP.glob(place)})
    lines = [line for path in paths if str(path.relative_to(TOP)) not in ALLOWED for line in find(path)]
    sys.stdout.writelines(f"{line}\n" for line in lines)
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
