"""Tree: messages, copies, branches and damage in the graph of parents."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given as for_all
from hypothesis import strategies as st
from make import UUID, Draft, assistant, call, conversation, given, line, user

from backscroll.records import Record
from backscroll.sessions.session import MAIN
from backscroll.sessions.transcript.conversation import Conversation
from backscroll.sessions.transcript.facts import ZERO_UUID, Leaf
from backscroll.sessions.transcript.heads import decode_head
from backscroll.sessions.transcript.rows import ASSISTANT, Row, row_of
from backscroll.sessions.transcript.tree import NOBODY, Tree, TreeBuilder


def build_tree(rows: Iterable[Row], leaf: Leaf | None, content_key: Callable[[Row], bytes]) -> Tree:
    """Join rows into nodes, link them, and name the branches."""
    builder = TreeBuilder(content_key)
    for row in rows:
        builder.add(row)
    return builder.tree(leaf)


def tree_of(directory: Path, *records: dict[str, Any]) -> Tree:
    """Read records into a tree."""
    with conversation(directory, *records) as read:
        return read.tree


def drafted(directory: Path, draft: Draft) -> Conversation:
    """Read a draft."""
    return conversation(directory, *draft.lines())


def branches(tree: Tree) -> dict[str, list[str]]:
    """Return the ids of the nodes on each branch."""
    found: dict[str, list[str]] = {path.name: [] for path in tree.branches}
    for node in tree.nodes:
        found[node.branch].append(node.head.id)
    return found


def along(tree: Tree, name: str) -> list[str]:
    """Return the ids of what a reader of one branch sees."""
    return [tree.nodes[position].head.id for position in tree.read_along(name)]


def boundary(uuid: str, logical: str | None, **fields: Any) -> dict[str, Any]:
    """Return a compaction's boundary."""
    return {
        "type": "system",
        "subtype": "compact_boundary",
        "uuid": uuid,
        "parentUuid": None,
        "logicalParentUuid": logical,
        **fields,
    }


def summary(uuid: str, parent: str | None, **fields: Any) -> dict[str, Any]:
    """Return a compaction's summary."""
    return user(uuid, parent, "Summary", isCompactSummary=True, **fields)


SPLIT = [
    user("u1"),
    assistant("a1", "u1", [{"type": "thinking", "thinking": ""}], api="msg_1"),
    assistant("a2", "a1", "text", api="msg_1"),
    assistant("a3", "a2", [call("t1")], api="msg_1"),
    assistant("a4", "a3", [call("t2")], api="msg_1"),
    user("r1", "a3", [given("t1")]),
    user("r2", "a4", [given("t2")]),
    assistant("a5", "r2", "done"),
]


def test_one_api_message_is_one_node(tmp_path: Path) -> None:
    """Four records of one message are one node with four rows."""
    tree = tree_of(tmp_path, *SPLIT)

    assert ["u1", "a1", "r1", "r2", "a5"] == [node.head.id for node in tree.nodes]
    assert ["a1", "a2", "a3", "a4"] == [row.id for row in tree.nodes[1].rows]


def test_parallel_results_are_no_branch(tmp_path: Path) -> None:
    """Results that each hang on their own call leave one branch."""
    tree = tree_of(tmp_path, *SPLIT)

    assert {MAIN: ["u1", "a1", "r1", "r2", "a5"]} == branches(tree)
    assert ["u1", "a1", "r1", "r2", "a5"] == along(tree, MAIN)


def test_an_interleaved_message_is_one_node(tmp_path: Path) -> None:
    """A call, its result, the next call of the same message: one message, and no branch."""
    tree = tree_of(
        tmp_path,
        user("u1"),
        assistant("a1", "u1", [call("t1")], api="msg_1"),
        user("r1", "a1", [given("t1")]),
        assistant("a2", "r1", [call("t2")], api="msg_1"),
        user("r2", "a2", [given("t2")]),
        assistant("a3", "r2"),
    )

    assert {MAIN: ["u1", "a1", "r1", "r2", "a3"]} == branches(tree)
    assert ["a1", "a2"] == [row.id for row in tree.nodes[1].rows]


def test_parts_stand_in_the_order_of_the_api(tmp_path: Path) -> None:
    """Where every record names its place in the message, that is the order of the parts."""
    tree = tree_of(
        tmp_path,
        user("u1"),
        assistant("a1", "u1", api="msg_1", apiBlockIndex=1),
        assistant("a2", "a1", api="msg_1", apiBlockIndex=0),
        assistant("a3", "a2", api="msg_2", apiBlockIndex=1),
        assistant("a4", "a3", api="msg_2"),
    )

    assert [["a2", "a1"], ["a3", "a4"]] == [[row.id for row in node.rows] for node in tree.nodes[1:]]


def test_a_prompt_inside_an_answer_is_no_branch(tmp_path: Path) -> None:
    """A prompt that interrupts an answer, whose records go on behind it, stays on the same branch."""
    tree = tree_of(
        tmp_path,
        user("u1"),
        assistant("a1", "u1", "begun", api="msg_1"),
        user("u2", "a1", "quicker!"),
        assistant("a2", "u2", "ended", api="msg_1"),
        user("u3", "a2", "thanks"),
        assistant("a3", "u3"),
    )

    assert {MAIN: ["u1", "a1", "u2", "u3", "a3"]} == branches(tree)
    assert tree.nodes[2].is_inner


def test_one_id_for_several_requests(tmp_path: Path) -> None:
    """Some routers give every answer the same id; then the request tells the messages apart."""
    tree = tree_of(
        tmp_path,
        user("u1"),
        assistant("a1", "u1", api="msg_1", requestId="req_1"),
        assistant("a2", "a1", api="msg_1", requestId="req_1"),
        user("u2", "a2"),
        assistant("a3", "u2", api="msg_1", requestId="req_2"),
        assistant("a4", "a3", api="msg_1"),
    )

    assert [["a1", "a2"], ["a3", "a4"]] == [
        [row.id for row in node.rows] for node in tree.nodes if node.head.kind == ASSISTANT
    ]


def test_a_request_may_be_missing_at_first(tmp_path: Path) -> None:
    """A record with a request joins its message though the first record of that had none."""
    tree = tree_of(tmp_path, user("u1"), assistant("a1", "u1", api="m"), assistant("a2", "a1", api="m", requestId="r"))

    assert 2 == len(tree.nodes)


def test_a_repeated_record_is_a_copy(tmp_path: Path) -> None:
    """The same id with the same content is the same record, whatever stands around it."""
    tree = tree_of(
        tmp_path,
        user("u1", None, "Hello", timestamp="2026-05-01T10:00:00.000Z"),
        assistant("a1", "u1"),
        user("u1", None, [{"type": "text", "text": "Hello"}], timestamp="2026-05-01T11:00:00.000Z"),
        assistant("a1", "u1"),
    )

    assert ["u1", "a1"] == [node.head.id for node in tree.nodes]
    assert [1, 1] == [len(node.repeats) for node in tree.nodes]


def test_one_id_with_two_contents_is_two_messages(tmp_path: Path) -> None:
    """A doubled id costs nothing that was said; a third copy finds the one it repeats."""
    tree = tree_of(tmp_path, user("u1", None, "A"), user("u1", None, "B"), user("u1", None, "B"), user("u1", None, "C"))

    assert ["A", "B", "C"] == [node.head.label for node in tree.nodes]
    assert [0, 1, 0] == [len(node.repeats) for node in tree.nodes]


REWOUND = [user("u1"), assistant("a1", "u1"), user("u2", "a1"), assistant("a2", "u2")]


def test_a_rewind_without_a_word(tmp_path: Path) -> None:
    """Two prompts behind one answer: what was said last is main, the other is left behind."""
    tree = tree_of(tmp_path, *REWOUND, user("u3", "a1"), assistant("a3", "u3"))

    assert {MAIN: ["u1", "a1", "u3", "a3"], "b1": ["u2", "a2"]} == branches(tree)


def test_a_rewind_with_an_explicit_zero(tmp_path: Path) -> None:
    """A zero leaf says only that a new end will follow."""
    zero = {"type": "last-prompt", "leafUuid": ZERO_UUID, "explicit": True}
    leaf = {"type": "last-prompt", "leafUuid": "a3"}
    tree = tree_of(tmp_path, *REWOUND, zero, user("u3", "a1"), assistant("a3", "u3"), leaf)

    assert {MAIN: ["u1", "a1", "u3", "a3"], "b1": ["u2", "a2"]} == branches(tree)


def test_a_leaf_chooses_an_older_branch(tmp_path: Path) -> None:
    """Where the program names the visible end last, that decides, though other things were said later."""
    leaf = {"type": "last-prompt", "leafUuid": "a2"}
    tree = tree_of(tmp_path, *REWOUND, user("u3", "a1"), assistant("a3", "u3"), leaf)

    assert {MAIN: ["u1", "a1", "u2", "a2"], "b1": ["u3", "a3"]} == branches(tree)


def test_a_stale_leaf_gives_way(tmp_path: Path) -> None:
    """A leaf that was named before more was said holds no longer."""
    leaf = {"type": "last-prompt", "leafUuid": "a2"}
    tree = tree_of(tmp_path, *REWOUND, leaf, user("u3", "a1"), assistant("a3", "u3"))

    assert {MAIN: ["u1", "a1", "u3", "a3"], "b1": ["u2", "a2"]} == branches(tree)


def test_a_leaf_in_the_middle(tmp_path: Path) -> None:
    """A conversation that was rewound and not yet continued ends where the leaf says."""
    tree = tree_of(tmp_path, *REWOUND, {"type": "last-prompt", "leafUuid": "a1"})

    assert {MAIN: ["u1", "a1"], "b1": ["u2", "a2"]} == branches(tree)


@pytest.mark.parametrize("leaf", ["gone", ZERO_UUID])
def test_a_leaf_that_is_not_there(tmp_path: Path, leaf: str) -> None:
    """A leaf that names no record is as good as none."""
    tree = tree_of(tmp_path, *REWOUND, {"type": "last-prompt", "leafUuid": leaf})

    assert {MAIN: ["u1", "a1", "u2", "a2"]} == branches(tree)


def test_a_rewind_to_the_first_prompt(tmp_path: Path) -> None:
    """A prompt with an explicit null parent in the middle begins a second root."""
    tree = tree_of(tmp_path, *REWOUND, user("u3", None, "Again"), assistant("a3", "u3"))

    assert {MAIN: ["u3", "a3"], "b1": ["u1", "a1", "u2", "a2"]} == branches(tree)
    assert ["u3", "a3"] == along(tree, MAIN)


@pytest.mark.parametrize(
    "record",
    [
        {"type": "progress", "uuid": "x", "parentUuid": None, "data": {"type": "hook_progress"}},
        user("x", None, "<local-command-caveat>…</local-command-caveat>", isMeta=True),
        {"type": "system", "uuid": "x", "parentUuid": None, "subtype": "informational"},
        assistant("x", None, "from nowhere"),
    ],
)
def test_what_nobody_asked_continues_what_stands_before_it(tmp_path: Path, record: dict[str, Any]) -> None:
    """A record without parent in the middle of a file that is no prompt starts no branch."""
    tree = tree_of(tmp_path, *REWOUND, record, user("u3", "x"), assistant("a3", "u3"))

    assert 1 == len(tree.branches)


def test_an_absent_parent_is_the_record_before(tmp_path: Path) -> None:
    """A prompt that does not say whom it follows goes on where the file stands."""
    record = user("u3")
    del record["parentUuid"]
    tree = tree_of(tmp_path, *REWOUND, record, assistant("a3", "u3"))

    assert 1 == len(tree.branches)
    assert 3 == tree.nodes[4].parent


def test_a_list_without_parents_is_one_branch(tmp_path: Path) -> None:
    """Where no record names its parent, the file is a plain list."""
    tree = tree_of(tmp_path, user("u1"), assistant("a1"), user("u2"), assistant("a2"), user("u3"))

    assert 1 == len(tree.branches)


def test_branches_are_numbered_in_file_order(tmp_path: Path) -> None:
    """Each abandoned path has a name, the first that was begun is b1; a path grows from main or from another."""
    tree = tree_of(
        tmp_path,
        *REWOUND,
        user("u3", "a2"),
        user("u4", "a2"),
        user("u5", "a1"),
        assistant("a5", "u5"),
    )

    assert {MAIN: ["u1", "a1", "u5", "a5"], "b1": ["u2", "a2", "u4"], "b2": ["u3"]} == branches(tree)
    assert [("b1", "u4", "a1", 3), ("b2", "u3", "a2", 1)] == [
        (path.name, tree.nodes[path.tip].head.id, tree.nodes[path.fork].head.id, path.spoken)
        for path in tree.branches[1:]
    ]


def test_a_branch_is_read_from_the_start_to_its_tip(tmp_path: Path) -> None:
    """Who reads a branch sees what came before it, and not what others went on with."""
    tree = tree_of(tmp_path, *REWOUND, user("u3", "a1"), assistant("a3", "u3"))

    assert ["u1", "a1", "u2", "a2"] == along(tree, "b1")
    assert ["u1", "a1", "u3", "a3"] == along(tree, MAIN)


def test_a_branch_is_read_with_its_results(tmp_path: Path) -> None:
    """Results and notices that lead nowhere are read with the message they hang on."""
    tree = tree_of(
        tmp_path,
        user("u1"),
        assistant("a1", "u1", [call("t1"), call("t2")]),
        user("r1", "a1", [given("t1")]),
        user("r2", "a1", [given("t2")]),
        {"type": "system", "uuid": "s1", "parentUuid": "r1", "subtype": "informational"},
        assistant("a2", "r2"),
        user("u2", None, "Again"),
        assistant("a3", "u2"),
        {"type": "last-prompt", "leafUuid": "a3"},
    )

    assert ["u1", "a1", "r1", "r2", "s1", "a2"] == along(tree, "b1")


def test_a_branch_is_read_with_what_interrupted_its_answers(tmp_path: Path) -> None:
    """A prompt inside an answer is read on every branch that comes behind that answer."""
    tree = tree_of(
        tmp_path,
        user("u1"),
        assistant("a1", "u1", "begun", api="msg_1"),
        user("u2", "a1", "quicker!"),
        assistant("a2", "u2", "ended", api="msg_1"),
        user("u3", "a2", "left behind"),
        user("u4", "a2", "instead"),
    )

    assert ["u1", "a1", "u2", "u3"] == along(tree, "b1")
    assert ["u1", "a1", "u2", "u4"] == along(tree, MAIN)


def test_what_says_nothing_is_no_branch(tmp_path: Path) -> None:
    """Hooks, attachments and progress beside the conversation stay on the branch they hang on."""
    side: list[dict[str, Any]] = [
        {"type": "attachment", "uuid": "t1", "parentUuid": "u1", "attachment": {"type": "hook_success"}},
        {"type": "progress", "uuid": "p1", "parentUuid": "t1"},
        {"type": "system", "uuid": "s1", "parentUuid": "u1"},
    ]
    tree = tree_of(tmp_path, user("u1"), *side, assistant("a1", "u1"))

    assert 1 == len(tree.branches)
    assert [False, True, True, True, False] == [node.is_silent for node in tree.nodes]


def test_a_queued_prompt_is_a_message_of_the_branch(tmp_path: Path) -> None:
    """What was typed while the model worked counts as said, though an attachment holds it."""
    with drafted(tmp_path, Draft(UUID).prompt("A").queued("B").answer("C")) as read:
        assert [3] == [path.spoken for path in read.tree.branches]


def test_twice_compacted(tmp_path: Path) -> None:
    """Boundaries hang on what came before them, so that everything is on one branch."""
    tree = tree_of(
        tmp_path,
        user("u1"),
        assistant("a1", "u1"),
        boundary("s1", "a1", timestamp="2026-05-01T10:00:02.000Z"),
        summary("c1", "s1", timestamp="2026-05-01T10:00:01.000Z"),
        user("u2", "c1"),
        assistant("a2", "u2"),
        boundary("s2", "a2"),
        summary("c2", "s2"),
        user("u3", "c2"),
    )

    assert ["u1", "a1", "s1", "c1", "u2", "a2", "s2", "c2", "u3"] == along(tree, MAIN)
    assert [()] * 9 == [node.marks for node in tree.nodes]


@pytest.mark.parametrize("logical", ["gone", "u9"])
def test_a_boundary_that_leads_nowhere(tmp_path: Path, logical: str) -> None:
    """A boundary whose record before it is missing, or comes later, follows file order and is marked as a gap."""
    tree = tree_of(tmp_path, *REWOUND, boundary("s1", logical), summary("c1", "s1"), user("u9", "c1"))

    assert ["u1", "a1", "u2", "a2", "s1", "c1", "u9"] == along(tree, MAIN)
    assert ("gap",) == tree.nodes[4].marks


def test_a_boundary_without_any_parent(tmp_path: Path) -> None:
    """A boundary that names nothing follows file order, and nothing is missing."""
    tree = tree_of(tmp_path, *REWOUND, boundary("s1", None), summary("c1", "s1"))

    assert [3, ()] == [tree.nodes[4].parent, tree.nodes[4].marks]


def test_rows_appended_again_after_a_compaction(tmp_path: Path) -> None:
    """A second compaction may repeat rows under their old ids: they are copies, and no branch."""
    tree = tree_of(tmp_path, *REWOUND, boundary("s1", "a2"), summary("c1", "s1"), *REWOUND[2:], user("u3", "c1"))

    assert {MAIN: ["u1", "a1", "u2", "a2", "s1", "c1", "u3"]} == branches(tree)


def test_a_missing_parent_is_a_gap(tmp_path: Path) -> None:
    """A record whose parent is gone follows the one before it, and says so."""
    tree = tree_of(tmp_path, *REWOUND, user("u3", "gone"), assistant("a3", "u3"))

    assert {MAIN: ["u1", "a1", "u2", "a2", "u3", "a3"]} == branches(tree)
    assert ("gap",) == tree.nodes[4].marks


def test_its_own_parent(tmp_path: Path) -> None:
    """A record that names itself is marked, and follows the one before it."""
    tree = tree_of(tmp_path, user("u1"), assistant("a1", "u1"), user("u2", "u2"))

    assert [1, ("cycle",)] == [tree.nodes[2].parent, tree.nodes[2].marks]


def test_a_cycle_is_cut_at_its_first_record(tmp_path: Path) -> None:
    """Parents that lead round in a circle lose nothing: the first of them hangs on what stands before it."""
    tree = tree_of(
        tmp_path, user("u0"), assistant("a0", "u0"), user("u1", "u2"), assistant("a1", "u1"), user("u2", "a1")
    )

    assert {MAIN: ["u0", "a0", "u1", "a1", "u2"]} == branches(tree)
    assert ("cycle",) == tree.nodes[2].marks


def test_a_cycle_that_begins_the_file(tmp_path: Path) -> None:
    """A cycle with nothing before it begins at a root of its own."""
    tree = tree_of(tmp_path, user("u1", "u2"), user("u2", "u1"), assistant("a2", "u2"))

    assert ["u1", "u2", "a2"] == along(tree, MAIN)
    assert NOBODY == tree.nodes[0].parent


def test_a_parent_may_come_later(tmp_path: Path) -> None:
    """Write order is not always tree order."""
    tree = tree_of(tmp_path, user("u1"), user("r1", "a1", [given("t1")]), assistant("a1", "u1", [call("t1")]))

    assert [NOBODY, 2, 0] == [node.parent for node in tree.nodes]


def test_a_restart_follows_what_stands_before_it(tmp_path: Path) -> None:
    """When the program goes on by itself after a restart, the parent it names may be stale."""
    note = user("m1", "a1", "Continue from where you left off.", isMeta=True)
    tree = tree_of(tmp_path, *REWOUND, note, assistant("a3", "m1"))

    assert {MAIN: ["u1", "a1", "u2", "a2", "m1", "a3"]} == branches(tree)


def test_an_empty_tree() -> None:
    """Nothing at all is one branch that nothing was said on."""
    tree = build_tree([], None, lambda _: b"")

    assert [(MAIN, 0)] == [(path.name, path.spoken) for path in tree.branches]
    assert [] == tree.read_along(MAIN)


def test_a_long_conversation_is_walked_without_recursion(tmp_path: Path) -> None:
    """Thousands of records in one chain are no problem."""
    rows = [user("u0"), *(user(f"u{number}", f"u{number - 1}") for number in range(1, 5000))]

    assert 5000 == len(tree_of(tmp_path, *rows).read_along(MAIN))


IDS = [f"x{number}" for number in range(6)]
RECORDS = st.lists(
    st.builds(
        lambda kind, uuid, parent, api: assistant(uuid, parent, api=api) if kind else user(uuid, parent, uuid),
        st.booleans(),
        st.sampled_from(IDS),
        st.sampled_from([None, *IDS]),
        st.sampled_from(["msg_1", "msg_2", "msg_3"]),
    ),
    max_size=12,
)


@pytest.mark.slow
@for_all(RECORDS, st.none() | st.builds(Leaf, st.sampled_from(IDS), st.integers(0, 12)))
def test_any_graph_keeps_every_record(records: list[dict[str, Any]], leaf: Leaf | None) -> None:
    """Whatever the parents say: every record is in one node, every node on one branch, and no walk is endless."""
    rows, keys = _rows(records)
    tree = build_tree(rows, leaf, lambda row: keys[id(row)])

    assert sorted(map(id, rows)) == sorted(id(row) for node in tree.nodes for row in (*node.rows, *node.repeats))
    assert len(tree.nodes) == sum(len(ids) for ids in branches(tree).values())
    assert all(tree.read_along(path.name) for path in tree.branches if path.spoken)
    assert set(range(len(tree.nodes))) == {at for path in tree.branches for at in tree.read_along(path.name)}


def _rows(records: list[dict[str, Any]]) -> tuple[list[Row], dict[int, bytes]]:
    """Make rows without a file, and their content keys."""
    rows, keys = [], {}
    for number, record in enumerate(records, 1):
        raw = line(record)
        row = row_of(Record(number, number, 1, raw, None), decode_head(raw))
        row.kind = ASSISTANT if record["type"] == "assistant" else "typed"
        row.group = record["message"].get("id")
        rows.append(row)
        keys[id(row)] = raw
    return rows, keys


def test_a_reversed_file_is_one_branch() -> None:
    """A file whose children come before their parents is one branch, and its root stays the root."""
    records = [user(str(number), str(number - 1) if number else None, f"m{number}") for number in range(9, -1, -1)]
    rows, keys = _rows(records)
    tree = build_tree(rows, None, lambda row: keys[id(row)])

    assert list(range(10)) == tree.read_along(MAIN)
    assert [NOBODY] == [node.parent for node in tree.nodes if node.head.uuid == "0"]
