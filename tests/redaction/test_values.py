"""Values of the library without secrets: sessions, messages, calls and hits of a root."""

from dataclasses import replace
from pathlib import Path

from make import Draft, bash, home

import backscroll
from backscroll.redact import KnownIdentities
from backscroll.redaction import ValueRedactor
from backscroll.sessions.message import Message, Part

TOKEN = "ghp_" + "Fak3" * 9
FIRST, SECOND = TOKEN[:20], TOKEN[20:]


def _message(*parts: Part, role: str = "user") -> Message:
    place = backscroll.Place("/home/nora/.claude/projects/-home-nora-shop/s.jsonl", 1, 0, 10)
    return Message("m-1", None, "s-1", role, None, None, None, "main", list(parts), None, place)


def _texts(message: Message) -> str:
    return "".join(part.text or "" for part in message.parts)


def test_a_secret_in_two_parts_is_one_secret() -> None:
    """A token that begins in one part and ends in the next is replaced in both."""
    cleaned = ValueRedactor().message(_message(Part("text", f"key {FIRST}"), Part("text", f"{SECOND} end")))
    assert FIRST not in _texts(cleaned)
    assert SECOND not in _texts(cleaned)


def test_the_same_secret_has_the_same_pseudonym_everywhere() -> None:
    """One redactor names a secret alike in a text, in the input of a call and in a title."""
    redactor = ValueRedactor()
    message = redactor.message(
        _message(Part("text", TOKEN), Part("call", None, {"input": {"command": f"use {TOKEN}"}}))
    )
    name = message.parts[0].text
    assert name is not None
    assert name.startswith("⟨github-")
    assert message.parts[1].data["input"] == {"command": f"use {name}"}
    assert redactor.text(f"title {TOKEN}") == f"title {name}"


def test_ids_of_a_message_stay() -> None:
    """The ids of a message and of its session are not secrets."""
    message = replace(_message(Part("text", TOKEN)), id="0b7c1d2e-3f40-4a51-8b62-9c73ad84be95")
    cleaned = ValueRedactor().message(message)
    assert (cleaned.id, cleaned.session, cleaned.role) == (message.id, message.session, message.role)


def test_paths_of_known_homes_are_replaced() -> None:
    """The place of a message names no home, neither as a path nor as the key of a project."""
    cleaned = ValueRedactor(KnownIdentities(homes=("/home/nora",))).message(_message())
    assert cleaned.place.path == "⟨home⟩/.claude/projects/⟨home⟩-shop/s.jsonl"


def test_attachments_lose_fields_that_no_list_names() -> None:
    """An attachment of an unlisted kind keeps its type only; a system prompt goes out at no depth."""
    raw: backscroll.Json = {"type": "environment", "content": "SHELL=/bin/zsh"}
    cleaned = ValueRedactor().message(
        _message(
            Part("other", None, {"type": "environment", "raw": raw}),
            Part("call", None, {"input": {"systemPrompt": "You are", "mcpServers": {"a": 1}, "q": "x"}}),
            role="system",
        )
    )
    assert cleaned.parts[0].data["raw"] == {"type": "environment"}
    assert cleaned.parts[1].data["input"] == {"q": "x"}


def test_scan_finds_nothing_in_redacted_output() -> None:
    """The scan of finished output finds a planted secret in any form, and no pseudonym."""
    redactor = ValueRedactor(KnownIdentities(homes=("/home/nora",), users=("nora",)))
    text = f"{TOKEN} in /home/nora/shop, said nora"
    assert {one.rule for one in redactor.scan(text)} >= {"⟨user⟩"}
    assert redactor.scan(redactor.text(text)) == []


def test_a_library_knows_the_identities_of_its_root(tmp_path: Path) -> None:
    """Homes come from the sessions, the author from git's settings, and the root itself is a home."""
    root = home(tmp_path)
    (root / ".gitconfig").write_text('[core]\n name = no\n[user]\n\tname = Nora Quist\n email = "nora@quist.example"\n')
    draft = Draft("s-1", cwd="/home/nora/shop").prompt("Hello, I am Nora Quist, nora@quist.example")
    draft.answer("Hi.", calls=[bash("cat /home/nora/shop/a", "ok")]).write(root)
    with backscroll.open(root) as library:
        redactor = library.redactor()
        transcript = redactor.transcript(library.show("latest"))
        shown = [str(transcript.session), *map(str, transcript.messages)]
    assert not [word for word in ("nora", "Quist", str(root)) if any(word in text for text in shown)]
    assert "⟨name⟩" in shown[1]
    assert "⟨email⟩" in shown[1]
