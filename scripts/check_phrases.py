"""Find phrases that we no longer write, in code and documents; exit with code 1 if there are any.

`PHRASES` maps each phrase to a better way to write it.  CONTRIBUTING.md has the rules of plain English.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

TOP = Path(__file__).parent.parent
PLACES = ("src/**/*.py", "src/**/*.pyi", "docs/*.md", "*.md", "scripts/*.py", "Makefile")
PHRASES = {
    # predicates
    r"say whether": 'begin with "Return True if"',
    r"says whether": "name the fact",
    r'"""whether': 'begin with "Return True if" or "True if"',
    # nouns that are clauses
    r'"""(?:what|where|who|whose)': "begin with the noun",
    r"(?:return|yield|find|give|show) (?:what|where|who|whose)": "name the thing",
    r"what `[a-z -]+` answers": 'write "The result of"',
    r"where was looked": 'write "where it looked"',
    r"(?:what|all that|everything that) is asked": "name the request",
    r"what was (?:said|asked|found|written|typed|spent)": "name the messages, the request, the result",
    r"whoever": "name the actor",
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
    r"comes? in:|in comes?|goes out:|out comes?": 'write "Input:" and "Output:"',
    r"is told of": 'write "gets"',
}
ALLOWED = ("scripts/check_phrases.py",)


def find(path: Path) -> Iterator[str]:
    """Yield a line for each phrase in a file."""
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        for phrase, reason in PHRASES.items():
            if found := re.search(rf"(?<!\w)(?:{phrase})\b", line, re.IGNORECASE):
                yield f"{path.relative_to(TOP)}:{number}: {found.group()}: {reason}"


def main() -> int:
    """Print all phrases; return the exit code."""
    paths = sorted(path for place in PLACES for path in TOP.glob(place))
    lines = [line for path in paths if str(path.relative_to(TOP)) not in ALLOWED for line in find(path)]
    sys.stdout.writelines(f"{line}\n" for line in lines)
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
