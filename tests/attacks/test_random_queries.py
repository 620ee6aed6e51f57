"""Random queries of the search language: an answer or a sentence, never an internal error."""

from pathlib import Path
from random import Random

from chance import chance, rounds
from make import UUID, Draft, bash, home

import backscroll
from backscroll.errors import QueryError

SEED, QUERIES = 18, 2000
PIECES = (
    *("okapi", "hay", "feed", "the", "*", "ok*", "-okapi", '"feed the"', '"', "OR", "AND", "NOT", "(", ")", "-", "--"),
    *("project:", "project:srv", "role:user", "role:x", "tool:Bash", "kind:call", "since:2w", "since:", "until:x", ":"),
    *("session:1", "session:", "is:error", "is:", "has:code", "file:a", "model:opus", "branch:main", "store:code"),
    *(
        "\0",
        "\ud800",
        "\x1b",
        "日本語",
        "é",
        "a" * 300,
        "9" * 40,
        "~2",
        "^5",
        "[a TO b]",
        "\\",
        "/x/",
        "{",
        "}",
        "+",
        "?",
    ),
)


def query(numbers: Random) -> str:
    """Return some pieces in a row, with and without blanks between them."""
    return "".join(numbers.choice(PIECES) + numbers.choice(["", " ", " "]) for _ in range(numbers.randrange(1, 7)))


def test_random_queries(tmp_path: Path) -> None:
    """Every query has an answer, or a QueryError that says what is wrong; in all modes."""
    numbers = chance(SEED)
    Draft(UUID).prompt("feed the okapi").answer("Fed.", calls=[bash("ls", "hay")]).write(home(tmp_path))
    answered = 0
    with backscroll.search_index(tmp_path) as search:
        for number in range(rounds(QUERIES)):
            text = query(numbers)
            mode = numbers.choice([None, None, None, None, "exact", "regex"])
            options = backscroll.Options(
                mode=mode, all_hits=number % 2 == 0, by_time=number % 3 == 0, is_typing=number % 5 == 0
            )
            try:
                found = search(text, options)
            except QueryError:
                continue
            except Exception as error:
                raise AssertionError(f"query {number}, {mode}: {text!a}") from error
            assert found.total is None or len(found.hits) <= max(found.total, 0)
            answered += 1

    assert answered > rounds(QUERIES) // 2
