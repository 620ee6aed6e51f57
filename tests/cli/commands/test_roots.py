"""`--root` several times: homes that are read as one, each session once."""

import shutil
from pathlib import Path

import pytest
from command import said, strictly
from make import UUID, Draft, bash, home

OTHER = "22222222-2222-4222-8222-222222222222"


@pytest.fixture
def homes(tmp_path: Path) -> tuple[Path, Path]:
    """Return a live home, and a backup that has an older copy of its session and one that is gone."""
    live, backup = home(tmp_path / "live"), home(tmp_path / "backup")
    draft = Draft(UUID, "/srv/shop").prompt("common words").answer("One.", calls=[bash("ls", "a")])
    draft.write(backup)
    draft.prompt("later words").answer("Two.").write(live)
    Draft(OTHER, "/srv/old").prompt("lost words").answer("Three.").write(backup)
    return live, backup


def asked(homes: tuple[Path, ...], *arguments: str) -> dict[str, object]:
    """Return the JSON answer of a command over some homes."""
    roots = [word for root in homes for word in ("--root", str(root))]
    code, out, err = said(*roots, "--json", *arguments)

    assert (0, "") == (code, err)
    found: dict[str, object] = strictly(out.encode())
    return found


def test_one_list(homes: tuple[Path, Path]) -> None:
    """All sessions of all roots are in one list, each once, with the files of both."""
    found = {session["id"]: session for session in asked(homes, "list")["sessions"]}  # type: ignore[attr-defined]

    assert {UUID, OTHER} == found.keys()
    assert (4, 2) == (found[UUID]["messages"], len(found[UUID]["transcripts"]))
    assert found[UUID]["resume"] is not None


def test_nothing_counts_twice(homes: tuple[Path, Path]) -> None:
    """Usage, calls and hits are those of one home that has everything."""
    assert 3 == asked(homes, "usage")["total"]["messages"]  # type: ignore[index]
    assert 1 == asked(homes, "calls")["total"]
    assert 1 == asked(homes, "search", "common")["total"]


def test_each_set_of_roots_has_an_index(homes: tuple[Path, Path]) -> None:
    """A root alone, and the same root twice, answer for themselves."""
    live, backup = homes

    assert 2 == asked(homes, "list")["total"]
    assert 1 == asked((live,), "list")["total"]
    assert 1 == asked((live, live), "list")["total"]
    assert 2 == asked((backup,), "list")["total"]


def test_roots_before_and_after_the_command(homes: tuple[Path, Path]) -> None:
    """Roots add up wherever they stand; hints carry all of them."""
    live, backup = homes
    out = said("--root", live, "--json", "list", "--root", backup)[1]
    hint = said("--root", live, "show", "nothing", "--root", backup)[2]

    assert 2 == strictly(out.encode())["total"]
    assert f"backscroll --root {live} --root {backup} list --all" in hint


def test_a_root_that_is_not_there(homes: tuple[Path, Path]) -> None:
    """One that is missing is named."""
    shutil.rmtree(homes[1])
    code, _, err = said("--root", homes[0], "--root", homes[1], "list")

    assert 1 == code
    assert f"no such directory: {homes[1]}" in err
