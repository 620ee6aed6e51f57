"""Who did it, who said it: calls, messages, prompts, titles and branches go to the session that they belong to."""

from pathlib import Path
from typing import Any

import pytest
from command import answer, run, strictly
from make import ACCOUNT, UUID, Draft, assistant, bash, call, given, home, line, user, write_transcript

FORK = "22222222-2222-4222-8222-222222222222"
OTHER = "33333333-3333-4333-8333-333333333333"


def session(root: Path, name: str = UUID) -> dict[str, Any]:
    """Return a session as `list` has it."""
    found = {item["id"]: item for item in answer(root, "list", "--all")["sessions"]}
    return dict(found[name])


# 3. Typed means typed

NOTICES = {
    "teammate": '<teammate-message teammate_id="lead">\nGo on.\n</teammate-message>',
    "teammate and more": '<teammate-message teammate_id="lead">Go on.</teammate-message>\nAnd then?',
    "output file": "<task-notification>\n<task-id>b1</task-id>\n</task-notification>\n"
    "Read the output file to retrieve the result: /tmp/b1.output",
    "transcript": "<task-notification><task-id>b1</task-id></task-notification>\n"
    "Full transcript available at: /tmp/b1.output\n",
    "ci": "<ci-monitor-event>\nThe build failed.\n</ci-monitor-event>",
}


@pytest.mark.parametrize("text", NOTICES.values(), ids=NOTICES)
def test_typed_means_typed(tmp_path: Path, text: str) -> None:
    """Messages of teammates, notices of tasks and events of CI are neither typed nor a title."""
    draft = Draft(UUID, version="2.1.45").prompt(text).answer("Yes.").prompt("Mend the roof").answer("Done.")
    draft.record(type="last-prompt", lastPrompt=text[:60]).write(home(tmp_path))
    found = session(tmp_path)
    told = answer(tmp_path, "show", UUID)["messages"]

    assert (1, "Mend the roof", "first-prompt") == (found["prompts"], found["title"], found["title_source"])
    assert ["system", "assistant", "user", "assistant"] == [message["role"] for message in told]


@pytest.mark.parametrize("kind", ["teammate", "ci"])
def test_typed_means_typed_but_messages_of_others_are_shown(tmp_path: Path, kind: str) -> None:
    """`show` has the message that Claude answers, under the name of the program."""
    Draft(UUID, version="2.1.45").prompt(NOTICES[kind]).answer("Yes.").write(home(tmp_path))
    text = run("--root", tmp_path, "show", UUID).stdout.decode()

    assert text.index("System  ") < text.index(NOTICES[kind].splitlines()[1]) < text.index("Claude  ")
    assert "You  " not in text


def test_typed_means_typed_in_the_queue(tmp_path: Path) -> None:
    """A notice that was queued while the model worked is no prompt either."""
    draft = Draft(UUID).prompt("Mend the roof")
    draft.attachment("queued_command", prompt=NOTICES["transcript"], commandMode="prompt").answer("Done.")
    draft.write(home(tmp_path))

    assert (1, 2) == (session(tmp_path)["prompts"], session(tmp_path)["messages"])


def test_typed_means_typed_where_a_queued_text_is_found(tmp_path: Path) -> None:
    """A search for what people said finds a queued prompt, not a notice that the program queued, as tags or as JSON."""
    task = '{"task_id":"be53278","tool_use_id":"toolu_0123456789abcdef","description":"roof"}'
    draft = Draft(UUID, version="2.1.49").prompt("Mend the door").answer("Done.")
    for text in ("Then the roof", task, "<task-notification>roof</task-notification>"):
        draft.record(type="queue-operation", operation="enqueue", timestamp="2026-05-01T10:00:00.000Z", content=text)
    draft.write(home(tmp_path))

    def said(role: str) -> list[str]:
        return [hit["snippet"] for hit in answer(tmp_path, "search", f"roof role:{role}", "--all-hits")["hits"]]

    assert ["Then the roof"] == said("user")
    assert {task, "<task-notification>roof</task-notification>"} == set(said("system"))


def test_typed_means_typed_an_accepted_plan_is_a_prompt_of_its_own_kind(tmp_path: Path) -> None:
    """The program writes the prompt of an accepted plan: it is shown as such, and nobody typed it."""
    plan = "Implement the following plan:\n\n# Mend the roof"
    draft = Draft(UUID).prompt(plan, planContent="# Mend the roof").answer("Done.").prompt("Thanks").answer("Bye.")
    draft.record(type="last-prompt", lastPrompt=plan).write(home(tmp_path))
    found = session(tmp_path)
    first, *_ = answer(tmp_path, "show", UUID)["messages"]
    outline = answer(tmp_path, "outline", UUID)["items"]

    assert (1, 4, "Thanks") == (found["prompts"], found["messages"], found["title"])
    assert ("user", False, ["plan"]) == (first["role"], first["is_typed"], first["marks"])
    assert ["plan", "prompt"] == [item["kind"] for item in outline]
    assert b"accepted plan" in run("--root", tmp_path, "show", UUID).stdout


def test_typed_means_typed_a_plan_alone_is_the_title(tmp_path: Path) -> None:
    """Where there is nothing better, an accepted plan is the title."""
    Draft(UUID).prompt("Implement the following plan: roof", planContent="roof").answer("Done.").write(home(tmp_path))

    assert "Implement the following plan: roof" == session(tmp_path)["title"]


# 5. /exit and resume is no branch


def test_exit_and_resume_is_no_branch(tmp_path: Path) -> None:
    """Commands that nothing continues stand beside the conversation; they are read with it and make no branch."""
    draft = Draft(UUID).prompt("Mend the roof").answer("Done.")
    tip = draft.tip
    draft.command("exit", output="Bye!")
    draft.tip = tip
    draft.prompt("And the door").answer("Done too.").write(home(tmp_path))
    shown = answer(tmp_path, "show", UUID)
    texts = [part["text"] or "" for message in shown["messages"] for part in message["parts"]]

    assert 1 == session(tmp_path)["branches"]
    assert ["main"] == [branch["name"] for branch in shown["branches"]]
    assert any("/exit" in text for text in texts)
    assert "Done too." == texts[-1]


def test_exit_and_resume_is_no_branch_at_the_end(tmp_path: Path) -> None:
    """A command after a rewind does not make a branch of what was said before it."""
    draft = Draft(UUID, version="2.1.112").prompt("Mend the roof").answer("Done.").prompt("And the door").answer("No.")
    draft.rewind(to=2).command("model", output="Set.").write(home(tmp_path))

    assert (1, 5) == (session(tmp_path)["branches"], session(tmp_path)["messages"])


# 6. A queued prompt with Esc belongs to the main line


@pytest.mark.parametrize("is_first", [True, False])
def test_a_queued_prompt_with_esc_belongs_to_the_main_line(tmp_path: Path, *, is_first: bool) -> None:
    """The prompt and the refused result hang on the call, and the conversation goes on through the result."""
    rows = [user("u1", None, "Mend the roof"), assistant("a1", "u1", [call("toolu_0123456789abcdef")])]
    prompt = user("u2", "a1", "Use slate")
    refused = user("u3", "a1", [given("toolu_0123456789abcdef", "User rejected tool use", is_error=True)])
    rows += [prompt, refused] if is_first else [refused, prompt]
    rows += [assistant("a2", "u3", "Slate it is."), user("u4", "a2", "Good"), assistant("a3", "u4", "Bye.")]
    write_transcript(home(tmp_path), "-p", UUID, map(line, rows))
    shown = answer(tmp_path, "show", UUID)

    assert 1 == session(tmp_path)["branches"]
    assert ["main"] == [branch["name"] for branch in shown["branches"]]
    assert [row["uuid"] for row in rows] == [message["id"] for message in shown["messages"]]


def test_a_queued_prompt_with_esc_is_not_the_speaker_of_the_result(tmp_path: Path) -> None:
    """The result names its call, because a prompt stands between them; the answer after it is Claude's."""
    tool = "toolu_0123456789abcdef"
    rows = [user("u1", None, "Mend the roof"), assistant("a1", "u1", [call(tool)]), user("u2", "a1", "Use slate")]
    rows += [user("u3", "a1", [given(tool, "Rejected", is_error=True)]), assistant("a2", "u3", "Slate it is.")]
    write_transcript(home(tmp_path), "-p", UUID, map(line, rows))
    text = run("--root", tmp_path, "show", UUID).stdout.decode()
    markdown = run("--root", tmp_path, "show", UUID, "--format", "md").stdout.decode()

    assert "  Use slate\n\n  ↳ Bash  \n  │ Rejected\n\nClaude  x\n  Slate it is.\n" in text
    assert ["You", "Claude", "You", "Tool", "Claude"] == [
        line[3:] for line in markdown.splitlines() if line.startswith("## ")
    ]


# 8. Three roots are three branches; times of all records


def test_three_roots_in_five_messages_are_three_branches(tmp_path: Path) -> None:
    """A prompt without a parent begins anew, however many records of its file have none."""
    rows = [user("u1"), assistant("a1", "u1"), user("u2"), user("u3"), assistant("a3", "u3")]
    write_transcript(home(tmp_path), "-p", UUID, map(line, rows))

    assert (3, 5) == (session(tmp_path)["branches"], session(tmp_path)["messages"])


def test_a_list_without_parents_is_one_branch(tmp_path: Path) -> None:
    """Where no record names its parent, parents that are null say nothing."""
    rows = [user("u1"), assistant("a1"), user("u2"), assistant("a2"), user("u3")]
    write_transcript(home(tmp_path), "-p", UUID, map(line, rows))

    assert 1 == session(tmp_path)["branches"]


def test_started_and_updated_are_times_of_all_records(tmp_path: Path) -> None:
    """Records outside the tree have times too: a prompt that waits, a session that the model ended."""
    draft = Draft(UUID)
    draft.record(type="queue-operation", operation="enqueue", timestamp="2026-05-01T09:00:00.000Z", content="Hello")
    draft.prompt("Hello").answer("Hi.").record(type="ended-by-model", timestamp="2026-05-03T09:00:00.000Z")
    draft.write(home(tmp_path))
    found = session(tmp_path)

    assert ("2026-05-01T09:00:00.000Z", "2026-05-03T09:00:00.000Z") == (found["started"], found["updated"])


# 4. Titles from summaries


@pytest.mark.parametrize("where", ["same file", "other file"])
def test_titles_from_summaries_hold_where_the_leaf_is_a_notice(tmp_path: Path, where: str) -> None:
    """After /exit a summary names the row that the command printed: the session that holds it has the title."""
    draft = Draft(UUID, version="1.0.128").prompt("Mend the roof").answer("Done.").command("exit")
    draft.row("user", message={"role": "user", "content": "<local-command-stdout>Bye!</local-command-stdout>"})
    other = Draft(FORK, version="1.0.128").prompt("Hello").answer("Hi.")
    (draft if where == "same file" else other).summary("A dry roof", leaf=draft.tip)
    draft.write(home(tmp_path))
    other.write(tmp_path)

    assert ("A dry roof", "summary") == (session(tmp_path)["title"], session(tmp_path)["title_source"])
    assert "Hello" == session(tmp_path, FORK)["title"]


def test_titles_from_summaries_hold_for_a_session_that_was_read_before(tmp_path: Path) -> None:
    """A summary that comes, or goes, later gives the session another title."""
    draft = Draft(UUID, version="1.0.128").prompt("Mend the roof").answer("Done.").shell("ls", "a")
    draft.write(home(tmp_path))
    before = session(tmp_path)["title"]
    later = Draft(FORK, version="1.0.128").summary("A dry roof", leaf=draft.tip).write(tmp_path)
    now = session(tmp_path)["title"]
    later.unlink()

    assert ("Mend the roof", "A dry roof") == (before, now)
    assert "Mend the roof" == session(tmp_path)["title"]


def test_titles_from_summaries_that_grow_in_another_file(tmp_path: Path) -> None:
    """The last summary that another file gives holds, also if it comes after the index was made."""
    draft = Draft(UUID, version="1.0.128").prompt("Mend the roof").answer("Done.")
    draft.write(home(tmp_path))
    other = Draft(FORK, version="1.0.128").prompt("Hello").answer("Hi.").summary("A wet roof", leaf=draft.tip)
    other.write(tmp_path)
    before = session(tmp_path)["title"]
    other.summary("A dry roof", leaf=draft.tip).write(tmp_path)

    assert ("A wet roof", "A dry roof") == (before, session(tmp_path)["title"])


# 7. Forks without their parent


def test_forks_without_their_parent_count_what_they_copied(tmp_path: Path) -> None:
    """Each copied record of /branch names its original, so its messages are copies though the parent is gone."""
    draft = Draft(UUID).prompt("Mend the roof").answer("Done.")
    draft.fork(FORK).prompt("And the door").answer("Done too.").write(home(tmp_path))
    found = session(tmp_path, FORK)
    told = answer(tmp_path, "show", FORK)["messages"]

    assert (UUID, 2, 4) == (found["parent"], found["copied"], found["messages"])
    assert [UUID, UUID, None, None] == [message["copied_from"] for message in told]


def test_forks_without_their_parent_name_the_session_whose_request_it_was(tmp_path: Path) -> None:
    """From 2.1.326 on, copied answers of --fork-session name the session that asked for them."""
    draft = Draft(UUID, version="2.1.326").prompt("Mend the roof").answer("Done.")
    draft.fork(FORK, style="plain").prompt("And the door").answer("Done too.").write(home(tmp_path))
    found = session(tmp_path, FORK)

    assert (UUID, 1, 4) == (found["parent"], found["copied"], found["messages"])


def test_a_fork_of_a_fork_names_the_nearest(tmp_path: Path) -> None:
    """The last copied answer tells which session was forked."""
    draft = Draft(UUID, version="2.1.326").prompt("Mend the roof").answer("Done.")
    fork = draft.fork(FORK, style="plain").prompt("And the door").answer("Done too.")
    fork.fork(OTHER, style="plain").prompt("Thanks").answer("Bye.").write(home(tmp_path))

    assert FORK == session(tmp_path, OTHER)["parent"]


def costs(draft: Draft, output: int) -> Draft:
    """Add what Claude Code says that a session cost: so many tokens of output."""
    spent = {"inputTokens": 4, "outputTokens": output, "cacheReadInputTokens": 0, "cacheCreationInputTokens": 0}
    return draft.record(type="cost-state", totalCostUSD=0.5, modelUsage={draft.model: spent})


@pytest.mark.parametrize("has_parent", [True, False])
def test_audit_explains_branch_by_what_it_spent_itself(tmp_path: Path, *, has_parent: bool) -> None:
    """The sum that Claude Code keeps for a session made by /branch starts at zero, so copies explain nothing there."""
    draft = Draft(UUID).prompt("Mend the roof").answer("Done.")
    fork = costs(draft.fork(FORK).prompt("And the door").answer("Done too."), 1000)
    fork.write(home(tmp_path))
    if has_parent:
        draft.write(tmp_path)
    (comparison,) = answer(tmp_path, "usage", "--audit", "--session", FORK)["comparisons"]
    (model,) = comparison["models"]

    assert 1 == model["found"]["messages"]
    assert has_parent is not any("deleted session" in reason for reason in comparison["reasons"])


def test_audit_explains_a_fork_session_by_its_copies(tmp_path: Path) -> None:
    """The sum of --fork-session goes on from that of its parent, so copied messages are part of it."""
    draft = Draft(UUID, version="2.1.326").prompt("Mend the roof").answer("Done.")
    draft.write(home(tmp_path))
    costs(draft.fork(FORK, style="plain").prompt("And the door").answer("Done too."), 1000).write(tmp_path)
    (comparison,) = answer(tmp_path, "usage", "--audit", "--session", FORK)["comparisons"]
    (model,) = comparison["models"]

    assert 2 == model["found"]["messages"]
    assert any("1 message is a copy; session" in reason for reason in comparison["reasons"])


# 1. Calls go to the session that made them


def forked_calls(root: Path, style: str) -> None:
    """Write a session with two calls, and a fork of it that copies them and makes one more."""
    draft = Draft(UUID).prompt("Look").answer(calls=[bash("ls", "a"), bash("pwd", "/w")])
    fork = draft.fork(FORK, style=style).prompt("Again").answer(calls=[bash("id", "ann")])
    draft.write(home(root))
    fork.write(root)


@pytest.mark.parametrize("style", ["branch", "plain", "sdk"])
def test_calls_go_to_the_session_that_made_them(tmp_path: Path, style: str) -> None:
    """Without ID each call stands once, in the session that made it, as in `tools`, `usage` and `files`."""
    forked_calls(tmp_path, style)
    calls = answer(tmp_path, "calls")

    assert 3 == calls["total"]
    assert {("ls", UUID), ("pwd", UUID), ("id", FORK)} == {
        (item["input"]["command"], item["session"]) for item in calls["calls"]
    }
    assert {None} == {item["copied_from"] for item in calls["calls"]}
    assert 2 == answer(tmp_path, "tools", "--session", UUID)["tools"][0]["calls"]


def test_calls_of_a_fork_are_all_shown_with_copies_marked(tmp_path: Path) -> None:
    """With ID every call of the session is there, and a copy names the session that made it."""
    forked_calls(tmp_path, "plain")
    calls = answer(tmp_path, "calls", FORK)["calls"]

    assert [("ls", UUID), ("pwd", UUID), ("id", None)] == [
        (item["input"]["command"], item["copied_from"]) for item in calls
    ]
    assert 2 == run("--root", tmp_path, "calls", FORK).stdout.count(b"copy of 11111111")


@pytest.mark.parametrize("holder", [UUID, FORK])
def test_calls_whose_result_only_one_of_them_has(tmp_path: Path, holder: str) -> None:
    """A result is found whichever of the sessions that hold the call has it."""
    draft = Draft(UUID).prompt("Look").answer(calls=[bash("ls", "a.txt")])
    fork = draft.fork(FORK).prompt("Again").answer("Done.")
    loser = fork if holder == UUID else draft
    loser.rows = [row for row in loser.rows if isinstance(row, dict) and "toolUseResult" not in row]
    draft.write(home(tmp_path))
    fork.write(tmp_path)
    (call,) = answer(tmp_path, "calls")["calls"]

    assert (UUID, "a.txt") == (call["session"], call["result"]["text"])
    assert ["a.txt"] == [item["result"]["text"] for item in answer(tmp_path, "calls", FORK)["calls"]]


# 2. A fork holds what it copied


def hits(root: Path, *arguments: str) -> list[tuple[str, str, int]]:
    """Return session, snippet and copies of the hits of a search, in the order of their snippets."""
    done = run("--root", root, "--json", "search", "--all-hits", *arguments)
    found = strictly(done.stdout)["hits"] if done.returncode == 0 else []
    return sorted((hit["session"], hit["snippet"], hit["copies"]) for hit in found)


@pytest.mark.parametrize("style", ["branch", "plain", "sdk"])
@pytest.mark.parametrize("order", ["parent first", "fork first", "at once"])
def test_a_fork_holds_what_it_copied(tmp_path: Path, style: str, order: str) -> None:
    """A copied message is found in every session that holds it, and names the one that said it first."""
    draft = Draft(UUID, "/w/house").prompt("Mend the roof").answer("Slate")
    fork = draft.fork(FORK, style=style).prompt("And the door").answer("Oak")
    fork.cwd = "/w/barn"
    for row in fork.rows:
        if isinstance(row, dict):
            row |= {"cwd": fork.cwd, "gitBranch": "barn"}
    for part in {"parent first": [draft, fork], "fork first": [fork, draft]}.get(order, []):
        part.write(home(tmp_path))
        hits(tmp_path, "slate")
    draft.write(home(tmp_path))
    fork.write(tmp_path)
    copied = [(UUID, "Slate", 1)]

    assert copied == hits(tmp_path, "slate") == hits(tmp_path, "slate", "--session", UUID)
    assert copied == hits(tmp_path, "slate", "--session", FORK) == hits(tmp_path, "slate", "--project", "barn")
    assert copied == hits(tmp_path, "slate branch:barn")
    assert [] == hits(tmp_path, "slate -project:barn")
    assert [(FORK, "Oak", 0)] == hits(tmp_path, "oak")
    assert [] == hits(tmp_path, "oak", "--session", UUID)


def test_a_fork_holds_what_it_copied_in_an_account(tmp_path: Path) -> None:
    """A filter by account means the accounts of all sessions that hold the message."""
    draft = Draft(UUID).prompt("Mend the roof").answer("Slate")
    fork = draft.fork(FORK).record(type="session-owner", accountUuid=ACCOUNT).prompt("Go on").answer("Oak")
    draft.write(home(tmp_path))
    fork.write(tmp_path)

    assert [(UUID, "Slate", 1)] == hits(tmp_path, f"slate account:{ACCOUNT[:8]}")


def test_a_fork_holds_what_it_copied_when_its_parent_is_gone(tmp_path: Path) -> None:
    """When the session that said it first is deleted, the earliest of those that are left takes its place."""
    draft = Draft(UUID).prompt("Mend the roof").answer("Slate")
    path = draft.write(home(tmp_path))
    draft.fork(FORK).prompt("Go on").answer("Oak").write(tmp_path)
    draft.fork(OTHER).prompt("Go on").answer("Elm").write(tmp_path)
    before = hits(tmp_path, "slate")
    path.unlink()

    assert [(UUID, "Slate", 2)] == before
    assert [(FORK, "Slate", 1)] == hits(tmp_path, "slate")


def test_hits_of_a_session_count_others_among_what_matches(tmp_path: Path) -> None:
    """With a filter, only messages that pass it count as more of the same session."""
    draft = Draft(UUID, "/w/house").prompt("Slate roof").answer("Slate it is")
    fork = draft.fork(FORK).prompt("Go on").answer("Oak")
    draft.prompt("More slate").answer("Slate again")
    draft.write(home(tmp_path))
    fork.write(tmp_path)
    (hit,) = answer(tmp_path, "search", "slate", "--session", FORK)["hits"]

    assert (UUID, 1) == (hit["session"], hit["others"])


# 9. An SDK fork of an SDK fork, and one message id under two requests


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (2, 0, 1)])
def test_an_sdk_fork_of_an_sdk_fork_counts_copied_prompts_once(tmp_path: Path, order: tuple[int, ...]) -> None:
    """Each copy names the copy before it, so the way to the first original leads through all of them."""
    first = Draft(UUID).prompt("Mend the roof").answer("Slate")
    second = first.fork(FORK, style="sdk").prompt("And the door").answer("Oak")
    third = second.fork(OTHER, style="sdk").prompt("Thanks").answer("Bye")
    drafts = [first, second, third]
    for number in order:
        drafts[number].write(home(tmp_path))
        hits(tmp_path, "roof")
    told = answer(tmp_path, "show", OTHER)["messages"]

    assert [(UUID, "Mend the roof", 2)] == hits(tmp_path, "roof")
    assert [(FORK, "And the door", 1)] == hits(tmp_path, "door")
    assert 4 == session(tmp_path, OTHER)["copied"]
    assert [UUID, UUID, FORK, FORK, None, None] == [message["copied_from"] for message in told]


@pytest.mark.parametrize("style", ["branch", "plain", "sdk"])
@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (2, 0, 1)], ids=lambda order: "".join(map(str, order)))
def test_a_fork_of_an_sdk_fork_says_nothing_twice(tmp_path: Path, order: tuple[int, ...], style: str) -> None:
    """Whatever made the second fork, each copied prompt is found once and goes to the session that said it first."""
    first = Draft(UUID).prompt("Mend the roof").answer("Done.", calls=[bash("ls", "a")])
    sdk = first.fork(FORK, style="sdk").prompt("And the door").answer("Done too.")
    drafts = [first, sdk, sdk.fork(OTHER, style=style).prompt("Thanks").answer("Bye.")]
    home(tmp_path)
    for number in order:
        drafts[number].write(tmp_path)
        answer(tmp_path, "search", "roof")
    hits = [hit for word in ("roof", "door") for hit in answer(tmp_path, "search", word, "--all-hits")["hits"]]
    told = answer(tmp_path, "show", OTHER)["messages"]

    assert [(UUID, 2), (FORK, 1)] == [(hit["session"], hit["copies"]) for hit in hits if hit["role"] == "user"]
    assert [UUID, FORK] == [message["copied_from"] for message in told if message["role"] == "user"][:2]


def test_an_sdk_fork_of_an_sdk_fork_whose_parent_is_gone(tmp_path: Path) -> None:
    """Without the copy between them nothing leads to the first original: then two messages are found."""
    first = Draft(UUID).prompt("Mend the roof").answer("Slate")
    second = first.fork(FORK, style="sdk").prompt("And the door").answer("Oak")
    first.write(home(tmp_path))
    path = second.write(tmp_path)
    second.fork(OTHER, style="sdk").prompt("Thanks").answer("Bye").write(tmp_path)
    before = hits(tmp_path, "roof")
    path.unlink()

    assert [(UUID, "Mend the roof", 2)] == before
    assert [(UUID, "Mend the roof", 0), (OTHER, "Mend the roof", 0)] == hits(tmp_path, "roof")
    assert 4 == session(tmp_path, OTHER)["copied"]


def test_one_message_id_under_two_requests_is_two_messages(tmp_path: Path) -> None:
    """Two requests were answered, so two answers are shown, counted and paid for; a fork copies both."""
    name = "msg_0123456789abcdef"
    rows = [
        user(f"{1:032}", None, "Mend the roof", version="2.1.325"),
        assistant(f"{2:032}", f"{1:032}", "Slate", api=name, requestId="req_1"),
        assistant(f"{3:032}", f"{2:032}", "Straw", api=name, requestId="req_2"),
        assistant(f"{4:032}", f"{3:032}", "Tiles", api=name),
    ]
    write_transcript(home(tmp_path), "-p", UUID, map(line, rows))
    copies = [{**row, "forkedFrom": {"sessionId": UUID, "messageUuid": row["uuid"]}} for row in rows]
    write_transcript(tmp_path, "-p", FORK, map(line, copies))
    found = session(tmp_path)
    told = answer(tmp_path, "show", UUID)["messages"]

    assert (3, 2) == (found["messages"], found["usage"]["messages"])
    assert [1, 1, 2] == [len(message["parts"]) for message in told]
    assert (3, 0) == (session(tmp_path, FORK)["copied"], session(tmp_path, FORK)["usage"]["messages"])
