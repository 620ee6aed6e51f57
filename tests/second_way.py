"""Count a store of Claude Code transcripts a second, independent way.

Slow and simple on purpose: it reads everything into memory, shares no code with backscroll, and follows only
docs/counting.md and the notes on the formats. Where those leave room, a comment starting with
CHOICE says what was chosen and why. `python tests/second_way.py DIRECTORY...` prints the counts as JSON.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Record = dict[str, Any]

TREE_TYPES = {"user", "assistant", "system", "attachment", "progress"}
CALL_TYPES = {"tool_use", "server_tool_use", "mcp_tool_use"}
INTERNAL = ("acompact", "aside_question", "aprompt_suggestion", "aagent_summary", "aextract_memories")
TOKENS = {"input": "input_tokens", "output": "output_tokens"}
TOKENS |= {"cache_write": "cache_creation_input_tokens", "cache_read": "cache_read_input_tokens"}
SHORTEST_GLOBAL_ID = 16
RECORD_STARTS = ('{"parentUuid":', '{"type":', '{"sessionId":')
TYPED_SOURCES = {None, "typed", "queued", "suggestion_accepted"}
# CHOICE: every <command-*> tag (name, message, args, contents; any order) belongs to one slash command envelope.
ENVELOPE = re.compile(
    r"<(command-[a-z]+|local-command-(?:stdout|stderr|caveat)|bash-(?:input|stdout|stderr)|system-reminder"
    r"|task-notification|session-start-hook|user-prompt-submit-hook|tick|fork-boilerplate)\b[^>]*>[\s\S]*?</\1>"
    r"|(?<=</task-notification>\n)(?:Read the output file|Full transcript available) .*"
    r"|^<(?:teammate-message|ci-monitor-event)\b[^>]*>[\s\S]*"
    r"|\[Request interrupted by user[^\]]*\]",
)
NOTICE_OPENING = re.compile(
    r"\s*<(local-command-(?:stdout|stderr|caveat)|bash-std(?:out|err)|system-reminder|task-notification|tick"
    r"|session-start-hook|user-prompt-submit-hook|fork-boilerplate|teammate-message|ci-monitor-event)\b"
    r"|\[Request interrupted by user"
)
PLAN_OPENING = "Implement the following plan:"
TITLE_TYPES = {"customTitle": "custom-title", "aiTitle": "ai-title", "agentName": "agent-name"}
TITLE_TYPES |= {"lastPrompt": "last-prompt"}
LONGEST_TITLE = 200
TYPED_ENVELOPE = re.compile(r"<(command-name|command-message|bash-input)\b")


@dataclass
class Transcript:
    """One file: which session it belongs to, its records, and how its bytes divide."""

    path: Path
    session: str
    agent: str | None
    rows: list[Record]
    size: dict[str, int]

    def began(self) -> str:
        """When the file began: the first time in it. A fork's copied rows come after its own first record."""
        return next((moment(row) for row in self.rows if row.get("timestamp")), "~")


def values_of(text: str) -> list[Any] | None:
    """All JSON values glued together in a text, or None when anything in it is not JSON."""
    decoder, found, at = json.JSONDecoder(), [], 0
    while text[at:].strip():
        at += len(text[at:]) - len(text[at:].lstrip())
        try:
            value, at = decoder.raw_decode(text, at)
        except ValueError:
            return None
        found.append(value)
    return found


def salvage(text: str) -> list[Any]:
    """Find the records after a torn stub. All the rest must parse, or a block inside the stub would pass for one."""
    for start in sorted({m.start() for mark in RECORD_STARTS for m in re.finditer(re.escape(mark), text)}):
        found = values_of(text[start:])
        if found is not None:
            return found
    return []


def read(path: Path) -> tuple[list[Record], dict[str, int]]:
    """Read the records of a file and count its bytes by kind of line.

    CHOICE: bytes are by whole line with its newline, so parsed + damaged + blank = total; a line with glued records is
    parsed, a torn line is damaged even when a record in it was saved; JSON that is no object is parsed, but no record.
    """
    data = path.read_bytes()
    size = {"total": len(data), "parsed": 0, "damaged": 0, "blank": 0}
    rows: list[Record] = []
    for line in data.split(b"\n"):
        text = line.decode("utf-8", "replace").strip("\ufeff\x00 \t\r")
        found = values_of(text)
        kind = "blank" if not text else "parsed" if found is not None else "damaged"
        size[kind] += len(line) + 1
        rows += [v for v in (salvage(text) if found is None else found) if isinstance(v, dict)]
    size[kind] -= 1  # the last line, often empty, has no newline
    return rows, size


def roots_of(directory: Path) -> list[Path]:
    """Find the projects directories of a config directory, or of a home with Cowork's private ones."""
    if (directory / "projects").is_dir():
        return [directory / "projects"]
    cowork = directory / "Library/Application Support/Claude/local-agent-mode-sessions"
    return [directory / ".claude" / "projects", *sorted(cowork.rglob(".claude/projects"))]


def transcripts_of(directory: Path) -> list[Transcript]:
    """Read every transcript: <project>/<stem>.jsonl* and <project>/<session>/subagents/**/agent-*.jsonl."""
    found = []
    for root in roots_of(directory):
        for path in sorted(root.glob("*/*.jsonl*")) + sorted(root.glob("*/*/subagents/**/agent-*.jsonl")):
            rows, size = read(path)
            stem = path.name.split(".jsonl")[0]
            agent = stem.removeprefix("agent-") if stem.startswith("agent-") else None
            session = stem
            if agent is not None and "subagents" in path.parts:
                session = path.relative_to(root).parts[1]  # nested: the directory names the session, not the rows
            elif agent is not None:
                # CHOICE: the first row decides; resume-2.0.33 has flat agents whose two rows name two sessions.
                session = next((str(r["sessionId"]) for r in rows if r.get("sessionId")), stem)
            found.append(Transcript(path, session, agent, rows, size))
    return found


def moment(row: Record) -> str:
    """Make a time that sorts as text ("Z" would sort after a fraction); no time sorts last."""
    return str(row.get("timestamp") or "~").rstrip("Z")


def message_of(row: Record) -> Record:
    """Take the message of a record as an object. CHOICE: a message that is a bare string is its content."""
    message = row.get("message")
    return message if isinstance(message, dict) else {"content": message}


def content_of(row: Record) -> list[Record]:
    """Take what a record says as a list of blocks: strings become text blocks."""
    attachment = row.get("attachment")
    content = attachment.get("prompt") if isinstance(attachment, dict) else message_of(row).get("content")
    items = content if isinstance(content, list) else [content]
    return [{"type": "text", "text": b} if isinstance(b, str) else b for b in items if isinstance(b, (str, dict))]


def text_of(row: Record) -> str:
    """Join the text blocks of a record."""
    return "\n".join(str(b.get("text") or "") for b in content_of(row) if b.get("type") == "text").strip()


def name_of(name: str, file: Transcript) -> str:
    """Make an id unique over all files: a short one ("msg_1", "u1") was made by hand and counts in its own only."""
    return name if len(name) >= SHORTEST_GLOBAL_ID else f"{file.path}: {name}"


def print_of(row: Record) -> str:
    """Hash what is said. CHOICE: content only; in copies other fields of `message` come and go."""
    return hashlib.sha256(json.dumps([row.get("type"), content_of(row)], sort_keys=True).encode()).hexdigest()


def is_synthetic(row: Record) -> bool:
    """Tell whether no model wrote an assistant record."""
    return message_of(row).get("model") == "<synthetic>" or bool(row.get("isApiErrorMessage"))


def is_envelope(row: Record) -> bool:
    """Tell whether a text is nothing but the program's own wrapping."""
    return bool(text_of(row)) and not ENVELOPE.sub("", text_of(row)).strip()


def is_plan(row: Record) -> bool:
    """Tell whether the program wrote a prompt when a plan was accepted."""
    return bool(row.get("planContent")) and text_of(row).startswith("Implement the following plan:")


def origin_of(row: Record) -> str | None:
    """Say who caused a record (of a queued command: in its attachment)."""
    origin = row.get("origin") or (row.get("attachment") or {}).get("origin")
    return origin.get("kind") if isinstance(origin, dict) else None


def role_of(row: Record) -> str:
    """user, assistant, tool or system; "" for a record that is no message at all."""
    if row.get("type") == "assistant":
        return "system" if is_synthetic(row) else "assistant"
    queued = row.get("type") == "attachment" and (row.get("attachment") or {}).get("type") == "queued_command"
    if row.get("type") != "user" and not queued:
        return "system" if row.get("type") in TREE_TYPES else ""
    # CHOICE: toolUseResult without a tool_result block still carries a result (edge_cases.jsonl lines 10 and 18).
    if any(b.get("type") == "tool_result" for b in content_of(row)) or row.get("toolUseResult") is not None:
        return "tool"
    if row.get("isMeta") or row.get("isCompactSummary") or origin_of(row) not in (None, "human"):
        return "system"
    if row.get("promptSource") == "system" or (is_envelope(row) and not TYPED_ENVELOPE.search(text_of(row))):
        return "system"
    # CHOICE: a user record without any content, {"type":"user"}, is a message of role user, but nobody's prompt.
    return "user"


def is_prompt(row: Record, literal: bool = False) -> bool:
    """Tell whether a human typed it; `literal` is the test of the notes word for word.

    CHOICE: origin "human" outweighs promptSource "sdk": every prompt typed in Desktop has both.
    """
    if role_of(row) != "user" or is_envelope(row) or is_plan(row) or not content_of(row):
        return False
    return row.get("promptSource") in TYPED_SOURCES or (not literal and origin_of(row) == "human")


def without_copies(rows: list[Record], seen: set[tuple[str, str]]) -> list[Record]:
    """Drop records that repeat an earlier one (same uuid, same content)."""
    kept = []
    for row in rows:
        mark = (str(row.get("uuid")), print_of(row))
        if not row.get("uuid") or mark not in seen:
            kept.append(row)
        seen.add(mark)
    return kept


def chains_of(rows: list[Record]) -> list[list[Record]]:
    """Find inline agents: sidechain rows by the root they climb to inside the sidechain."""
    parent = {r.get("uuid"): r.get("parentUuid") for r in rows}
    chains: dict[Any, list[Record]] = {}
    for row in rows:
        at, path = row.get("uuid"), set()
        while parent.get(at) in parent and at not in path:
            path.add(at)
            at = parent[at]
        chains.setdefault(at, []).append(row)
    return list(chains.values())


def is_internal(agent: str, rows: list[Record]) -> bool:
    """Tell the program's own agents. CHOICE: literal; agents without any user record (2.0.60) are not warm-ups."""
    first = next((text_of(r) for r in rows if r.get("type") == "user"), "")
    return agent.startswith(INTERNAL) or first == "Warmup"


def parent_index(rows: list[Record], at: int, where: dict[str, int], linked: bool) -> int | None:
    """Where the parent of a row is, None for a root.

    CHOICE: an absent or unknown parent is the previous row. A null parent is a root only for what a user said (a rewind
    to the first prompt); an answer, a result, a boundary, a hook or a caveat after /clear continues what stands before
    it, and so does everything where no row of the file names a known parent (files with all parents null are lists).
    """
    row = rows[at]
    if row.get("parentUuid") in where:
        return where[row["parentUuid"]]
    if where.get(row.get("logicalParentUuid", ""), at) < at:
        return where[row["logicalParentUuid"]]
    starts = row.get("parentUuid", "") is None and role_of(row) == "user"
    return None if at == 0 or (linked and starts) else at - 1


def branches_of(rows: list[Record]) -> int:
    """Tips: prompts and answers that no such row continues, one for each message; commands alone are no branch.

    CHOICE: rows of one message.id are not contracted into one node with one parent: a prompt, or another message, can
    stand between them (large-conversation.jsonl lines 276 to 278 and 294 to 296), and contraction would make it a tip.
    Instead a tip is dropped when another row of its message is continued elsewhere (parallel calls).
    """
    rows = [r for r in without_copies(rows, set()) if r.get("type") in TREE_TYPES]
    where: dict[str, int] = {}
    for at, row in enumerate(rows):
        where.setdefault(str(row.get("uuid") or f"line {at}"), at)
    linked = any(r.get("parentUuid") in where for r in rows)
    up = [parent_index(rows, at, where, linked) for at in range(len(rows))]
    speaks = [at for at in range(len(rows)) if role_of(rows[at]) in ("user", "assistant") and not is_envelope(rows[at])]
    node = {at: (rows[at]["type"] == "assistant" and message_of(rows[at]).get("id")) or at for at in speaks}
    above = {at: [a for a in ancestors(at, up) if a in node] for at in speaks}  # speaking ancestors, nearest first
    tips = set(speaks) - {line[0] for line in above.values() if line}
    kept = set()
    for tip in tips:
        after = [at for at in speaks if above[at] and node[above[at][0]] == node[tip] != node[at]]
        if all(at in above[tip] for at in after) and not is_interruption(tip, rows, up, above):
            kept.add(node[tip])
    return len(kept) or int(any(role_of(row) == "user" for row in rows))


def is_interruption(tip: int, rows: list[Record], up: list[int | None], above: dict[int, list[int]]) -> bool:
    """Tell whether a prompt was queued while a call ran: the call's result, beside it, is what goes on."""
    caller = up[tip]
    if role_of(rows[tip]) != "user" or caller is None or role_of(rows[caller]) != "assistant":
        return False
    calls = {b.get("id") for b in content_of(rows[caller]) if b.get("type") in CALL_TYPES}
    results = {at for at, row in enumerate(rows) if calls & {b.get("tool_use_id") for b in content_of(row)}}
    return any(results & set(ancestors(at, up)) for at in above if at != tip)


def ancestors(at: int, up: list[int | None]) -> list[int]:
    """List the rows above a row, nearest first; a loop ends the walk."""
    found: list[int] = []
    while (above := up[found[-1] if found else at]) is not None and above not in [at, *found]:
        found.append(above)
    return found


def compactions_of(rows: list[Record]) -> int:
    """Boundaries, and summaries (isCompactSummary, not `summary` titles) that neither name nor follow a boundary."""
    rows = [r for r in rows if r.get("type") in TREE_TYPES]
    boundaries = {str(r.get("uuid") or at) for at, r in enumerate(rows) if r.get("subtype") == "compact_boundary"}
    alone = set()
    for at, row in enumerate(rows):
        follows = at > 0 and rows[at - 1].get("subtype") == "compact_boundary"
        if row.get("isCompactSummary") and row.get("parentUuid") not in boundaries and not follows:
            alone.add(str(row.get("uuid") or at))
    return len(boundaries) + len(alone)


def conversation(main: list[Record], agents: list[list[Record]]) -> dict[str, int]:
    """Messages and calls of a session and its agents; prompts of the session alone."""
    seen: set[tuple[str, str]] = set()
    asked: dict[str, set[str]] = {}
    last: dict[str, str] = {}
    calls: set[str] = set()
    count = {"user": 0, "prompts": 0, "prompts_literal": 0}
    for number, rows in enumerate([main, *agents]):
        for row in without_copies(rows, seen):
            if role_of(row) == "user":
                count["user"] += 1
                count["prompts"] += number == 0 and is_prompt(row)
                count["prompts_literal"] += number == 0 and is_prompt(row, literal=True)
            elif role_of(row) == "assistant":
                # CHOICE: without message.id each record is a message; without an id each tool_use part is a call.
                # CHOICE: one id under two requests is two messages, and a record without a request is of the last one.
                name = str(message_of(row).get("id") or id(row))
                last[name] = str(row.get("requestId") or last.get(name) or "")
                asked.setdefault(name, set()).add(last[name])
                parts = [b for b in content_of(row) if b.get("type") in CALL_TYPES]
                calls.update(str(b.get("id") or id(b)) for b in parts)
    answers = sum(len(requests - {""}) or 1 for requests in asked.values())
    return {"messages": count.pop("user") + answers, **count, "calls": len(calls)}


def folded(mains: list[Transcript]) -> dict[str, str]:
    """Earlier copies of 1.0.44: session id to the id of the copy that holds it, through to the last one."""
    answers = {}
    for file in mains:
        rows = [r for r in file.rows if role_of(r) == "assistant" and message_of(r).get("id")]
        answers[file.session] = {(name_of(str(message_of(r)["id"]), file), print_of(r)) for r in rows}
    uuids = {f.session: {name_of(str(r["uuid"]), f) for r in f.rows if r.get("uuid")} for f in mains}
    into = {}
    # CHOICE: contained in several later files, a copy belongs to the earliest of them.
    for old in mains:
        for new in sorted(mains, key=lambda f: (f.began(), f.session)):
            held = answers[old.session] and answers[old.session] <= answers[new.session]
            later = (old.began(), old.session) < (new.began(), new.session)
            fork = uuids[old.session] & uuids[new.session] or any("forkedFrom" in r for r in [*old.rows, *new.rows])
            if held and later and not fork:
                into[old.session] = new.session
                break
    while chained := [name for name, new in into.items() if new in into]:
        into |= {name: into[into[name]] for name in chained}
    return into


def usage_of(files: list[Transcript]) -> list[tuple[str, Record]]:
    """(session, usage) of each API message, once.

    CHOICE: copies made by 1.0.44 and 1.0.128 lose their requestId: a record without one joins the message of its id.
    """
    named: dict[str, list[tuple[Transcript, Record]]] = {}
    for file in files:
        for row in file.rows:
            if role_of(row) == "assistant" and isinstance(message_of(row).get("usage"), dict):
                name = name_of(str(message_of(row).get("id") or row.get("uuid") or id(row)), file)
                named.setdefault(name, []).append((file, row))
    found = []
    for group in named.values():
        requests = sorted({str(row["requestId"]) for _, row in group if row.get("requestId")}) or [""]
        for request in requests:
            rows = [(f, r) for f, r in group if str(r.get("requestId") or requests[0]) == request]
            owner = min(rows, key=lambda x: (is_copy(x[1]), moment(x[1]), x[0].began(), x[0].session))[0]
            best = max(enumerate(rows), key=lambda x: (tokens_of(x[1][1])["output"], moment(x[1][1]), x[0]))[1][1]
            found.append((owner.session, tokens_of(best)))
    return found


def tokens_of(row: Record) -> dict[str, int]:
    """Take the usage of one record."""
    usage = message_of(row)["usage"]
    return {name: int(usage.get(key) or 0) for name, key in TOKENS.items()} | {"api_messages": 1}


def is_copy(row: Record) -> bool:
    """Tell whether a record says that it was copied from another session."""
    return "forkedFrom" in row or row.get("requestSessionId", row.get("sessionId")) != row.get("sessionId")


def makers_of(files: list[Transcript]) -> list[str]:
    """Name the session that made each call, once over all files, by the same rule as usage; not of internal agents."""
    held: dict[str, list[tuple[Any, ...]]] = {}
    for file in files:
        inline = [r for r in file.rows if r.get("isSidechain")] if file.agent is None else []
        hidden = [r for chain in chains_of(inline) if is_internal("", chain) for r in chain]
        for row in [] if file.agent and is_internal(file.agent, file.rows) else file.rows:
            if role_of(row) != "assistant" or any(row is other for other in hidden):
                continue
            for part in content_of(row):
                if part.get("type") in CALL_TYPES:
                    name = name_of(str(part["id"]), file) if part.get("id") else str(id(part))
                    rank = (is_copy(row), moment(row), file.began(), file.session)
                    held.setdefault(name, []).append((*rank, file.session))
    return [min(holders)[-1] for holders in held.values()]


def spoken_of(row: Record) -> str:
    """Say a prompt as a person would repeat it."""
    text = text_of(row)
    if is_envelope(row) and (name := re.search(r"<command-name>\s*([\s\S]*?)\s*</command-name>", text)):
        arguments = re.search(r"<command-args>\s*([\s\S]*?)\s*</command-args>", text)
        return f"/{name[1].removeprefix('/')} {arguments[1] if arguments else ''}".strip()
    if shell := re.fullmatch(r"<bash-input>\s*([\s\S]*?)\s*</bash-input>", text):
        return f"!{shell[1]}"
    return re.sub(r"^(\s*<(ide_opened_file|ide_selection|uploaded_files)\b[^>]*>[\s\S]*?</\2>\s*)+", "", text) or text


def title_of(rows: list[Record], summaries: dict[str, str]) -> str | None:
    """Choose a title as Claude Code does: given, made, last prompt, summary, first prompt, name of an agent.

    CHOICE: a last prompt that the program wrote does not take the place of one that a person typed, and an accepted
    plan comes behind everything that somebody typed.
    """
    stated: dict[str, str] = {}
    for row in rows:
        for field in TITLE_TYPES:
            text = row.get(field)
            is_stated = row.get("type") == TITLE_TYPES[field] and (text or field == "customTitle")
            if is_stated and (field != "lastPrompt" or field not in stated or is_typed_text(str(text))):
                stated[field] = str(text or "")
    last = stated.get("lastPrompt", "")
    last = "" if NOTICE_OPENING.match(last) else last
    named = [summaries[str(r["uuid"])] for r in rows if str(r.get("uuid")) in summaries]
    alone = [str(r["summary"]) for r in rows if r.get("type") == "summary" and r.get("summary")]
    said = [r for r in rows if role_of(r) == "user" and not r.get("isSidechain") and spoken_of(r)]
    kinds = [is_prompt, lambda r: not is_envelope(r) and not is_plan(r), is_plan, is_envelope]
    first = next((spoken_of(r)[:300] for kind in kinds for r in said if kind(r)), "")
    if not named and alone and not any(role_of(r) in ("user", "assistant") for r in rows):
        named = alone
    plan = last.startswith(PLAN_OPENING)
    found = [stated.get("customTitle"), stated.get("aiTitle"), "" if plan else last, named[-1] if named else ""]
    title = next((" ".join(t.split()) for t in [*found, first, last, stated.get("agentName")] if t and t.split()), None)
    return title if title is None or len(title) <= LONGEST_TITLE else title[: LONGEST_TITLE - 1] + "…"


def is_typed_text(text: str) -> bool:
    """Tell whether a last prompt, which may be cut short, was typed by a person."""
    return not NOTICE_OPENING.match(text) and not text.startswith(PLAN_OPENING)


def session_counts(main: list[Transcript], agents: list[Transcript], everything: list[Transcript]) -> Record:
    """Count one entry of the list of sessions, without usage."""
    rows = [r for f in main for r in f.rows]
    own = [r for r in rows if not r.get("isSidechain")]
    found = [(f.agent or "", f.rows) for f in agents]
    found += [("", chain) for chain in chains_of([r for r in rows if r.get("isSidechain")])]
    outside = [chain for name, chain in found if not is_internal(name, chain)]
    counts: Record = conversation(own, outside)
    counts |= {"agents": len(outside), "internal_agents": len(found) - len(outside)}
    counts |= {"branches": branches_of(own), "compactions": compactions_of(own)}
    counts["tokens"] = dict.fromkeys((*TOKENS, "api_messages"), 0)
    counts["bytes"] = {k: sum(f.size[k] for f in everything) for k in ("total", "parsed", "damaged", "blank")}
    counts["state"] = "orphan" if not main else "ok" if counts["messages"] else "empty"
    return counts


def count(directory: Path) -> Record:
    """All counts of a directory: the total and each session.

    CHOICE: agents without their session's file make one entry (state orphan) for each missing session, also when all
    are warm-ups, for their tokens and bytes must be somewhere. Of folded copies only the last is counted; the earlier
    ones give their bytes, their agents and their usage.
    """
    files = transcripts_of(directory)
    into = folded([f for f in files if f.agent is None])
    for file in files:
        file.session = into.get(file.session, file.session)
    summaries = {
        str(r.get("leafUuid")): str(r["summary"])
        for f in files
        for r in f.rows
        if r.get("type") == "summary" and r.get("summary")
    }
    sessions: dict[str, Record] = {}
    for name in sorted({f.session for f in files}):
        everything = [f for f in files if f.session == name]
        main = [f for f in everything if f.agent is None and f.path.name.split(".jsonl")[0] not in into]
        sessions[name] = session_counts(main, [f for f in everything if f.agent is not None], everything)
        sessions[name]["copies"] = sorted(old for old, new in into.items() if new == name)
        # CHOICE: an orphan has the title of its first agent, whose rows are then as good as a session's own.
        rows = [r for f in main for r in f.rows] or [{**r, "isSidechain": False} for r in everything[0].rows]
        sessions[name]["title"] = title_of(rows, summaries)
    for name, tokens in usage_of(files):
        for key, value in tokens.items():
            sessions[name]["tokens"][key] += value
    makers = makers_of(files)
    for name, found in sessions.items():
        found["made"] = makers.count(name)
    total: Record = {"sessions": len(sessions), "files": len(files)}
    for key, value in session_counts([], [], []).items():
        if isinstance(value, int):
            total[key] = sum(s[key] for s in sessions.values())
        elif isinstance(value, dict):
            total[key] = {part: sum(s[key][part] for s in sessions.values()) for part in value}
    return {"total": total, "sessions": sessions}


if __name__ == "__main__":
    sys.stdout.write(json.dumps({Path(a).resolve().name: count(Path(a)) for a in sys.argv[1:]}, indent=1) + "\n")
