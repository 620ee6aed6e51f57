"""The shape of a session."""

from views.samples import node, paper, session, text_of

from backscroll.views.terminal.tree import tree


def test_a_tree_is_drawn_with_lines() -> None:
    """Branches, compactions and agents hang from where they belong."""
    nodes = [
        node("s", None, "session", "Fix it", 42),
        node("main", "s", "branch", "go", 30),
        node("k", "main", "compaction", "auto"),
        node("a1", "main", "agent", "Explore", 5),
        node("b1", "s", "branch", "no", 1),
    ]

    assert text_of(tree(session(), nodes, paper())) == (
        "session  42 messages  Fix it\n"
        "├─ branch main  30 messages  go\n"
        "│  ├─ compaction  auto\n"
        "│  └─ agent a1  5 messages  Explore\n"
        "└─ branch b1  1 message  no"
    )


def test_a_fork_names_the_session_it_left() -> None:
    """Above a forked session stands where it came from."""
    nodes = [node("s", "other", "session", "Fix it", 42)]

    assert text_of(tree(session(parent="5a4b5aa4-b959"), nodes, paper())) == (
        "forked from 5a4b5aa4-b959\nsession  42 messages  Fix it"
    )


def test_a_tree_without_a_root_gets_the_session() -> None:
    """Where no node is the session itself, its title stands on top."""
    assert text_of(tree(session(), [node("main", None, "branch")], paper())).startswith("Fix the flaky login test")


def test_tangled_parents_are_drawn_once_each() -> None:
    """Nodes that are each other's parents, or whose parent is missing, appear exactly once."""
    nodes = [node("a", "b", "branch"), node("b", "a", "branch"), node("c", "gone", "branch"), node("d", "d", "branch")]
    shown = text_of(tree(session(), nodes, paper()))

    assert [1, 1, 1, 1] == [shown.count(f"branch {name}") for name in "abcd"]


def test_a_deep_tree_is_drawn() -> None:
    """Ten thousand levels are drawn without recursion, within the width."""
    nodes = [node(str(n), str(n - 1) if n else None, "branch") for n in range(10_000)]

    assert 10_001 == sum(1 for _ in tree(session(), nodes, paper()))
