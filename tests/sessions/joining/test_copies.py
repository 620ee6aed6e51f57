"""Identity: forks, earlier copies, and who said a thing first."""

import pytest

from backscroll.sessions.joining.copies import Kin, copied_from, folded_into, parent_of


def kin(
    name: str, born: str | None, said: str = "", *, ids: str = "", fork: str | None = None, is_old: bool = False
) -> Kin:
    """Make a session of one-letter messages, answers in upper case."""
    messages = {letter.encode() for letter in said}
    answers = {letter.encode() for letter in said if letter.isupper()}
    return Kin(name, born, fork, is_old, int(bool(fork)), answers, messages, {letter.encode() for letter in ids})


OLD = kin("old", "2025-06-01", "aAbB", ids="12", is_old=True)


def test_a_rewritten_session_is_folded() -> None:
    """A file of 1.0.44 all of which stands in a later file under new ids is an earlier copy of that."""
    assert "new" == folded_into(OLD, [kin("new", "2025-06-02", "aAbBcC", ids="345", is_old=True)])


@pytest.mark.parametrize(
    "other",
    [
        kin("earlier", "2025-05-01", "aAbBcC", ids="345", is_old=True),
        kin("less", "2025-06-02", "abAcC", ids="345", is_old=True),
        kin("same ids", "2025-06-02", "aAbBcC", ids="123", is_old=True),
        kin("said to be forked", "2025-06-02", "aAbBcC", ids="345", fork="old", is_old=True),
    ],
)
def test_what_is_no_rewritten_copy(other: Kin) -> None:
    """Not by an earlier file, not by one that lacks something, not by a fork."""
    assert folded_into(OLD, [other]) is None


def test_a_newer_version_is_never_folded() -> None:
    """Later versions append in place: sharing messages under new ids means something else there."""
    assert folded_into(kin("s", "2026-01-01", "aA", ids="1"), [kin("t", "2026-01-02", "aAbB", ids="2")]) is None


def test_a_session_without_answers_is_not_folded() -> None:
    """Nothing that the model said, nothing that could be known again."""
    assert folded_into(kin("s", "2025-01-01", "a", is_old=True), [kin("t", "2025-01-02", "aA", is_old=True)]) is None


def test_an_unanswered_prompt_does_not_keep_a_copy() -> None:
    """A last prompt that nobody answered cannot be known again; the answers decide."""
    old = kin("old", "2025-06-01", "aAbBz", is_old=True)

    assert "new" == folded_into(old, [kin("new", "2025-06-02", "aAbBcC", is_old=True)])


def test_folded_into_the_one_that_holds_most() -> None:
    """A session resumed twice goes into the longer of its continuations, on a tie the later."""
    short, longer = kin("b", "2025-06-02", "aAbBc", is_old=True), kin("a", "2025-06-02", "aAbBcC", is_old=True)
    late = kin("0", "2025-06-03", "aAbBcD", is_old=True)

    assert "a" == folded_into(OLD, [short, longer])
    assert "0" == folded_into(OLD, [short, longer, late])


def test_the_stated_parent_counts() -> None:
    """A fork that names its parent has that parent."""
    assert "said" == parent_of(kin("f", "2026-02", "aA"), [kin("p", "2026-01", "aA")], "said")


def test_the_nearest_earlier_relative_is_the_parent() -> None:
    """Without a word, the parent is the earlier session that shares most, on a tie the later one."""
    fork = kin("f", "2026-03", "aAbBcC")
    others = [kin("p", "2026-01", "aA"), kin("q", "2026-02", "aAbB"), kin("r", "2026-04", "aAbBcC")]

    assert "q" == parent_of(fork, others, None)
    assert "p" == parent_of(fork, [kin("o", "2026-01", "aA"), kin("p", "2026-02", "aA")], None)


def test_an_only_child_has_no_parent() -> None:
    """Nobody earlier shares anything."""
    assert parent_of(kin("f", "2026-03", "aA"), [kin("p", "2026-01", "bB"), kin("r", "2026-04", "aA")], None) is None


def test_copied_from_the_first() -> None:
    """Each shared message belongs to the first session that holds it."""
    fork = kin("f", "2026-03", "aAbBcC")

    assert {b"a": "p", b"A": "p", b"b": "q", b"B": "q"} == copied_from(
        fork, [kin("q", "2026-02", "aAbB"), kin("p", "2026-01", "aA"), kin("r", "2026-04", "cC")]
    )


def test_a_stated_fork_is_later_whatever_the_clock_says() -> None:
    """A fork's copied records keep their times: the statement decides, not the clock."""
    fork, parent = kin("a", "2026-01", "aA", fork="p"), kin("p", "2026-01", "aA")

    assert {} == copied_from(parent, [fork])
    assert {b"a": "p", b"A": "p"} == copied_from(fork, [parent])


def test_without_a_time_a_session_comes_last() -> None:
    """A file in which nothing has a time is taken for the copy."""
    assert kin("z", "2026-01", "a").is_earlier_than(kin("a", None, "a"))
    assert not kin("a", None, "a").is_earlier_than(kin("z", "2026-01", "a"))
