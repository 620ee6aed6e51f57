"""Change the code in small ways, one at a time, and count the changes that a test notices.

cosmic-ray makes the changes ("mutants"); this script draws a seeded sample of them, runs the fast tests that execute
the changed line, in a copy of the repository, and prints every mutant that survived.  `make mutants` calls it:

    make mutants sample=500 seed=1

coverage finds those tests, with one run of all fast tests in `TESTS`.  A mutant gets a sample of them first, and all
of them if the sample noticed nothing.  `mutant_tests.py` runs them in a fork, so no mutant waits for imports.

That run takes long.  With `--near` there is none: a mutant gets the fast tests of its own module, and then those of
the modules beside it.  Other tests might notice the survivors.

Sites are drawn first and then one mutant of each site, because an operator has ten times as many mutants as a number.
Annotations, and `is` in the place of `==`, are no sites: such mutants change nothing or do not even compile.
"""

import argparse
import ast
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import Queue
from typing import NamedTuple

from cosmic_ray.ast import ast_nodes, get_ast_from_path
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator, operator_names
from coverage import CoverageData

TOP = Path(__file__).parent.parent
FOLDERS = ("formats", "sessions", "index/update", "recovery")
SHARED = TOP.parent / "shared"
NEEDED = (
    "src",
    "tests",
    "scripts",
    "docs",
    "pyproject.toml",
    "README.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "Makefile",
)
SKIPPED = re.compile(r"Variable|_(?!Is)[A-Za-z]+_Is(Not)?$")
TESTS = (
    *("formats", "sessions", "index", "recovery", "test_verbs.py"),
    *("archive/test_archive.py", "archive/test_lost_frames.py", "test_public_values.py"),
)
"""The tests, fast ones only, that may notice a mutant."""
FIRST = 25
"""The number of tests that a mutant gets first."""
CHECKED = 12
"""The number of mutants whose first tests must pass on the code as it is."""
COVERAGE = ".tools/mutants/coverage.data"
TIMEOUT = 900
"""Seconds; a mutant that takes longer is stuck in a loop, which somebody would notice."""


class Mutant(NamedTuple):
    """One small change of a module."""

    path: str
    operator: str
    occurrence: int
    line: int


def annotations(path: Path) -> set[tuple[int, int]]:
    """Return line and column of everything inside the annotations of a module."""
    found: set[tuple[int, int]] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        for part in (getattr(node, "annotation", None), getattr(node, "returns", None)):
            if isinstance(part, ast.expr):
                columns = range(part.col_offset, (part.end_col_offset or 0) + 1)
                found |= {(part.lineno, column) for column in columns}
    return found


def mutants_of(path: Path) -> Iterator[tuple[tuple[int, int], Mutant]]:
    """Yield each mutant of a module with its site."""
    tree = get_ast_from_path(path)
    skipped = annotations(path)
    nodes = list(ast_nodes(tree))
    for name in operator_names():
        if SKIPPED.search(name):
            continue
        operator = get_operator(name)()
        positions = (place for node in nodes for place in operator.mutation_positions(node))
        for occurrence, (start, _) in enumerate(positions):
            if start not in skipped:
                yield start, Mutant(str(path.relative_to(TOP)), name, occurrence, start[0])


def draw(sample: int, seed: int, folders: list[str]) -> list[Mutant]:
    """Return a seeded sample of mutants, at most one of each site."""
    sites: dict[tuple[str, int, int], list[Mutant]] = {}
    for folder in folders:
        for path in sorted((TOP / "src" / "backscroll" / folder).rglob("*.py")):
            for start, mutant in mutants_of(path):
                sites.setdefault((mutant.path, *start), []).append(mutant)
    chance = random.Random(seed)  # noqa: S311 - a sample, not a secret
    chosen = chance.sample(sorted(sites), min(sample, len(sites)))
    return [chance.choice(sites[site]) for site in chosen]


def measure() -> None:
    """Run the fast tests once, and store the lines that each of them executes."""
    environment = {**os.environ, "PYTHONPATH": f"{TOP / '.tools' / 'coverage'}:{TOP / 'scripts'}"}
    command = [str(TOP / ".venv" / "bin" / "python"), "-m", "coverage", "run", f"--data-file={TOP / COVERAGE}"]
    command += [f"--source={TOP / 'src' / 'backscroll'}", "-m", "pytest", "-q", "-n", "0", "-m", "not slow"]
    command += ["-p", "no:cacheprovider", "-p", "covered_lines", "--hypothesis-profile=quick"]
    subprocess.run([*command, *(f"tests/{name}" for name in TESTS)], cwd=TOP, env=environment, check=True)


class Covered:
    """The tests that execute each line."""

    def __init__(self) -> None:
        self._data = CoverageData(str(TOP / COVERAGE))
        self._data.read()
        self._lines: dict[str, dict[int, list[str]]] = {}

    def batches_of(self, mutant: Mutant) -> list[list[str]]:
        """Return a sample of the tests of a mutant, and the other ones."""
        tests = self._tests_of(mutant)
        return [batch for batch in (tests[:FIRST], tests[FIRST:]) if batch]

    def _tests_of(self, mutant: Mutant) -> list[str]:
        """Return the tests of a mutant, those of the module's own file first; a statement may begin lines above."""
        path = str(TOP / mutant.path)
        if path not in self._lines:
            self._lines[path] = self._data.contexts_by_lineno(path)
        found = self._lines[path]
        lines = (found[line] for line in range(mutant.line, max(mutant.line - 8, 0), -1) if any(found.get(line, ())))
        tests = sorted(filter(None, next(lines, [])))
        random.Random(mutant.line).shuffle(tests)  # noqa: S311 - a sample, not a secret
        return sorted(tests, key=lambda name: f"test_{Path(mutant.path).name}::" not in name)


class Near:
    """The test files of each module's own folder."""

    def batches_of(self, mutant: Mutant) -> list[list[str]]:
        """Return the test files of a module, and the other ones of its folder."""
        module = Path(mutant.path).relative_to("src/backscroll")
        folder = next(place for place in (TOP / "tests" / parent for parent in module.parents) if place.is_dir())
        files = sorted(str(path.relative_to(TOP)) for path in folder.glob("test_*.py"))
        own = [name for name in files if Path(name).stem.startswith(f"test_{module.stem}")]
        return [batch for batch in (own, [name for name in files if name not in own]) if batch]


def copy_repository(to: Path) -> Path:
    """Copy everything that the tests need."""
    to.mkdir()
    for name in NEEDED:
        if (TOP / name).is_dir():
            shutil.copytree(TOP / name, to / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(TOP / name, to / name)
    return to


class Tester:
    """A copy of the repository, and a process that runs tests in it."""

    def __init__(self, place: Path) -> None:
        self._place = place
        command = [str(TOP / ".venv" / "bin" / "python"), str(TOP / "scripts" / "mutant_tests.py"), str(place)]
        self._server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def outcome(self, mutant: Mutant, batches: list[list[str]]) -> str:
        """Return killed, survived, timeout, or the reason why there is no answer."""
        target = self._place / mutant.path
        original = target.read_text("utf-8")
        changed = mutate_code(original, get_operator(mutant.operator)(), mutant.occurrence)
        if changed is None or changed == original:
            return "no change"
        if not batches:
            return "no test"
        try:
            target.write_text(changed, "utf-8")
            results = (self._ask(target, tests) for tests in batches)
            return next((result for result in results if result != "survived"), "survived")
        finally:
            target.write_text(original, "utf-8")
            _forget_compiled(target)

    def check(self, tests: list[str]) -> None:
        """Raise an error if tests fail without any change."""
        if (result := self._run(tests)) != "survived":
            raise RuntimeError(f"the tests fail without a mutant: {result}: {tests}")

    def _ask(self, target: Path, tests: list[str]) -> str:
        _forget_compiled(target)
        return self._run(tests)

    def _run(self, tests: list[str]) -> str:
        if self._server.stdin is None or self._server.stdout is None:
            raise RuntimeError("the process that runs tests has no pipes")
        self._server.stdin.write(json.dumps({"tests": tests, "timeout": TIMEOUT}) + "\n")
        self._server.stdin.flush()
        return self._server.stdout.readline().strip()


def _forget_compiled(module: Path) -> None:
    """Remove the compiled form: Python compares whole seconds and sizes, which mutants share."""
    for path in (module.parent / "__pycache__").glob(f"{module.stem}.*.pyc"):
        path.unlink()


def run(mutants: list[Mutant], workers: int, tests: Covered | Near) -> Counter[str]:
    """Test all mutants, print each as it is done, and count the outcomes."""
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory(prefix="mutants-") as scratch, ThreadPoolExecutor(workers) as pool:
        testers: Queue[Tester] = Queue()
        asked = [(mutant, tests.batches_of(mutant)) for mutant in mutants]
        if SHARED.is_dir():
            (Path(scratch) / SHARED.name).symlink_to(SHARED.resolve())
        for number in range(workers):
            testers.put(tester := Tester(copy_repository(Path(scratch) / str(number))))
            tester.check([test for _, batches in asked[:CHECKED] for batch in batches[:1] for test in batch])

        def test(item: tuple[Mutant, list[list[str]]]) -> str:
            tester = testers.get()
            try:
                return tester.outcome(*item)
            finally:
                testers.put(tester)

        for mutant, result in zip(mutants, pool.map(test, asked), strict=True):
            counts[result] += 1
            sys.stdout.write(f"{result:9} {mutant.path}:{mutant.line} {mutant.operator} #{mutant.occurrence}\n")
            sys.stdout.flush()
    return counts


def main() -> int:
    """Draw a sample, test it, and print the score."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sample", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--near", action="store_true", help="run only the tests beside each module")
    parser.add_argument("folders", nargs="*", default=list(FOLDERS))
    options = parser.parse_args()
    started = time.monotonic()
    if not options.near and not (TOP / COVERAGE).exists():
        measure()
    tests = Near() if options.near else Covered()
    counts = run(draw(options.sample, options.seed, options.folders), options.workers, tests)
    noticed = counts["killed"] + counts["timeout"]
    tested = noticed + counts["survived"] + counts["no test"]
    minutes = (time.monotonic() - started) / 60
    sys.stdout.write(
        f"{noticed} of {tested} mutants were noticed ({noticed / max(tested, 1):.0%}), {minutes:.0f} min\n"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
