"""The 58 built cases of the shared hostile corpus, each held against the laws of reliability.md, section 3.

L1 no traceback, exit 0; L2 the other session is unaffected; L3 every intact record appears exactly once, and every
damaged one that can be salvaged; L4 every byte is accounted for; L5 the source is left as it was; L7 nothing invented.
"""

import gc
import importlib.util
import re
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import pytest
from command import answer, shown
from make import fingerprint

import backscroll
from backscroll import Message, Session
from backscroll.formats.json.streams import open_stream
from backscroll.sessions.transcript.source import TranscriptSource

SCRIPT = Path(__file__).parent.parent.parent / "shared" / "hostile" / "hostile_corpus.py"
ABSENT = "needs ../shared/hostile, which is not beside this repository"

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not SCRIPT.exists(), reason=ABSENT)]


def load() -> ModuleType | None:
    """Import the script that builds the corpus, where it is at hand."""
    if not SCRIPT.exists():
        return None
    spec = importlib.util.spec_from_file_location("hostile_corpus", SCRIPT)

    assert spec is not None
    assert spec.loader is not None

    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


CORPUS = load()
NAMES: list[str] = sorted({**CORPUS.CASES, **CORPUS.FS}) if CORPUS else ["absent"]
SLOW = {"B04", "C02", "C03", "F07"}
CASES = [pytest.param(name, marks=pytest.mark.slow) if name in SLOW else pytest.param(name) for name in NAMES]
FILE_CASES = [case for name, case in zip(NAMES, CASES, strict=True) if CORPUS and name in CORPUS.CASES]

HOSTILE = "11111111-1111-4111-8111-111111111111"
NEIGHBOUR = "22222222-2222-4222-8222-222222222222"
MARKER = re.compile(r"\b(?:MK|CT|T\d{5}X)\d{6}Q")
# What begins a record: the key that comes first in every record that the corpus writes, or a line.
START = re.compile(rb'(?=\{"parentUuid")|(?:\A|\n)(?:\xef\xbb\xbf)?[\x00 \t\r]*(?=\{)')


@dataclass
class Case:
    """One case on disk: the home that it lies in, and the words that a perfect reader finds there."""

    name: str
    home: Path
    valid: list[str]
    salvage: list[str]
    control: list[str]

    @property
    def transcript(self) -> Path:
        """The file that is hostile, if the case is about one file."""
        return self.home / ".claude" / "projects" / "-tmp-proj" / f"{HOSTILE}.jsonl"

    @property
    def wanted(self) -> dict[str, int]:
        """The markers that must be found, each in one message."""
        return dict.fromkeys(self.valid + self.salvage + self.control, 1)

    def sessions(self) -> dict[str, Session]:
        """List all sessions, by id."""
        return {session.id: session for session in backscroll.list_sessions(self.home, limit=None).sessions}

    def session(self) -> Session:
        """Return what `list` says of the hostile session."""
        return self.sessions()[HOSTILE]

    def messages(self, session: str = HOSTILE) -> list[Message]:
        """Return all messages of one session, on all branches."""
        return list(backscroll.show(session, self.home, all_branches=True).messages)

    def text_with(self, marker: str) -> str:
        """Return the text of the one message that holds a marker."""
        (text,) = [text for text in map(text_of, self.messages()) if marker in text]
        return text

    def trouble(self) -> tuple[list[tuple[str, int | None]], list[str]]:
        """Return reason and length of each damage of the hostile session, and the reasons of its notes."""
        transcript = backscroll.show(HOSTILE, self.home)
        list(transcript.messages)
        damage = [(damage.reason, damage.place.length) for damage in transcript.damage]
        return damage, [note.reason for note in transcript.notes]

    def skipped(self) -> list[tuple[str, str]]:
        """Return name and reason of everything that its stores could not read."""
        stores = backscroll.list_stores(self.home)
        return [(Path(damage.place.path).name, damage.reason) for store in stores for damage in store.damage]


Build = Callable[[str], Case]


@pytest.fixture
def build(tmp_path: Path) -> Build:
    """Return a function that builds one case below the test's own directory, FIFOs and device links included."""

    def build_case(name: str) -> Case:
        assert CORPUS is not None

        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ResourceWarning)  # the script leaves closing to the interpreter
            found = CORPUS.build(str(tmp_path), {name})[name]
            gc.collect()
        return Case(name, tmp_path / name / "home", found["valid"], found["salvage"], found["control"])

    return build_case


def text_of(message: Message) -> str:
    """Return all text of a message."""
    return "\n".join(part.text for part in message.parts if part.text)


def markers(texts: Iterable[str]) -> Counter[str]:
    """Count in how many of the texts each marker stands."""
    return Counter(marker for text in texts for marker in set(MARKER.findall(text)))


def texts_of_all(case: Case) -> Iterator[str]:
    """Yield the text of every message of every session of a case."""
    names = list(case.sessions())
    for session in {NEIGHBOUR, *names[::100]} if case.name == "F07" else names:
        transcript = backscroll.show(session, case.home, all_branches=True, update=False)
        yield from map(text_of, transcript.messages)


def plain_bytes(path: Path) -> bytes:
    """Return what a transcript holds once gzip or UTF-16 is taken off."""
    with path.open("rb") as file, open_stream(file) as stream:
        return stream.file.read()


@pytest.mark.parametrize("name", CASES)
def test_every_record_is_read_once_and_nothing_is_touched(name: str, build: Build) -> None:
    """L1, L2, L3, L5: each marker is in exactly one message, the neighbour's too, and the source is as it was."""
    case = build(name)
    before = fingerprint(case.home)

    found = markers(texts_of_all(case))

    assert case.wanted == {marker: found[marker] for marker in case.wanted}
    assert {1} == set(found.values()) or name == "F06"  # which holds one session under seven names
    assert before == fingerprint(case.home)


@pytest.mark.parametrize("name", CASES)
def test_the_byte_account_adds_up(name: str, build: Build) -> None:
    """Records, damage, blanks and files that are not read are together all bytes of each store."""
    stores = backscroll.list_stores(build(name).home)
    parts = [
        (store.record_bytes, store.damage_bytes, store.blank_bytes, *(item.bytes or 0 for item in store.unread))
        for store in stores
    ]

    assert [store.bytes for store in stores] == [sum(counted) for counted in parts]
    assert all(number >= 0 for counted in parts for number in counted)


@pytest.mark.parametrize("name", CASES)
def test_the_command_line_shows_the_same(name: str, build: Build) -> None:
    """L1, L2, L3, L5: `list` and `show` exit with 0 and valid JSON that holds each marker in one message."""
    case = build(name)
    before = fingerprint(case.home)

    names = [session["id"] for session in answer(case.home, "list", "--all")["sessions"]]
    some = {NEIGHBOUR, *names[-2:]} if name == "F07" else names
    messages = [message for session in some for message in shown(case.home, session)["messages"]]
    found = markers("\n".join(part["text"] or "" for part in message["parts"]) for message in messages)

    assert case.wanted == {marker: found[marker] for marker in case.wanted}
    assert {1} == set(found.values()) or name == "F06"
    assert before == fingerprint(case.home)


@pytest.mark.parametrize("name", FILE_CASES)
def test_every_byte_is_explained_and_nothing_is_invented(name: str, build: Build) -> None:
    """L4, L7: records, damage and blanks add up to the file, and each record is an object of its outermost level."""
    path = build(name).transcript
    plain = plain_bytes(path)
    starts = {found.end() for found in START.finditer(plain)}

    with TranscriptSource(str(path)) as source:
        records = [(item.offset, item.raw == plain[item.offset : item.offset + item.length]) for item in source.heads()]

    assert len(plain) == source.size == source.record_bytes + source.damage_bytes + source.blank_bytes
    assert source.damage_bytes == sum(damage.place.length or 0 for damage in source.damage)
    assert set() == {offset for offset, _ in records} - starts
    assert len(records) == source.records == len(set(records)) <= len(starts)
    assert all(is_as_stored for _, is_as_stored in records)


@pytest.mark.slow
def test_all_that_can_be_salvaged_is_salvaged(build: Build) -> None:
    """The corpus holds 52 damaged records that a careful reader can recover, and all of them are."""
    assert CORPUS is not None

    wanted, found = 0, 0
    for name in sorted(CORPUS.CASES.keys() - SLOW | {"C02"}):
        case = build(name)
        if case.salvage:
            texts = markers(map(text_of, case.messages()))
            wanted += len(case.salvage)
            found += sum(texts[marker] == 1 for marker in case.salvage)

    assert 58 == len(NAMES)
    assert (52, 52) == (wanted, found)


# What the corpus says of single cases.  Bytes and lines first.


@pytest.mark.parametrize("name, messages", [("A02", 19), ("A03", 20)])
def test_a_torn_tail_is_reported_and_read_again(name: str, messages: int, build: Build) -> None:
    """A02, A03: what is whole is counted, the rest may still be being written, and once it is, it counts too."""
    case = build(name)
    whole = case.transcript.read_bytes().rpartition(b"\n")[0] + b"\n"
    tail = case.transcript.stat().st_size - len(whole)

    before = case.session()
    trouble, _ = case.trouble()
    case.transcript.write_bytes(whole + b'{"type":"user","uuid":"u","message":{"role":"user","content":"the end"}}\n')

    assert (messages, 1) == (before.messages, before.damage)
    assert [("incomplete last line; a program may still be writing it", tail)] == trouble
    assert (messages + 1, 0) == (case.session().messages, case.session().damage)


@pytest.mark.parametrize(
    "name, damage, notes",
    [
        ("A04", [("torn record", 120)], []),
        ("A05", [("torn record", 39)], ["found in a damaged line"]),
        ("A06", [], ["more than one record on the line"]),
        ("A07", [("NUL bytes", 9000)], []),
        ("A08", [("NUL bytes", 143_000)], []),
        ("A09", [("NUL bytes", 700)], []),
        ("A10", [("NUL bytes", 4096)], []),
        ("A11", [("NUL bytes", 144_258)], []),
        ("A12", [], ["byte order mark"]),
        ("A13", [], []),
        ("A14", [], ["stored as UTF-16 LE"]),
        ("A15", [], ["invalid UTF-8 bytes"]),
        ("A16", [], ["lone surrogate"]),
        ("A17", [], []),
        ("A18", [], ["raw control characters"]),
        ("A19", [], ["not-a-number, number too large"]),
        ("A20", [], ["number too large", "token count ignored: input_tokens is over 1,000,000,000"]),
        ("A21", [], ["nested too deeply"]),
        ("A22", [], ["nested too deeply"]),
        ("A23", [], ["duplicate keys"]),
        ("C04", [], []),
        ("C05", [], []),
        ("C07", [], ["stored as gzip"]),
    ],
)
def test_damage_and_repairs_are_told(name: str, damage: list[tuple[str, int]], notes: list[str], build: Build) -> None:
    """A04 to A23, C04 to C07: what could not be read is said with its length, what was repaired with its reason."""
    assert (damage, notes) == build(name).trouble()


def test_a_file_of_nothing_is_still_listed(build: Build) -> None:
    """A11: a file that is all NUL bytes is a session, listed as damaged, with its size."""
    session = build("A11").session()

    assert ("damaged", 0, 1, 144_258) == (session.state, session.messages, session.damage, session.bytes)


def test_noise_is_listed_as_damaged(build: Build) -> None:
    """C06: a megabyte of noise is a damaged session without messages."""
    session = build("C06").session()

    assert ("damaged", 0, 1_000_000) == (session.state, session.messages, session.bytes)
    assert session.damage > 0


@pytest.mark.parametrize("name", ["C04", "C05"])
def test_an_empty_file_is_listed(name: str, build: Build) -> None:
    """C04, C05: a file without records is a session without messages, and nothing is wrong with it."""
    session = build(name).session()

    assert ("live", 0, 0) == (session.state, session.messages, session.damage)


@pytest.mark.parametrize(
    "name, marker, expected",
    [
        ("A15", "MK000010Q", r"h\xff\xfe\x80llo MK000010Q"),
        ("A16", "MK000010Q", "\ufffdhello MK000010Q"),
        ("A17", "MK000010Q", "a\u2028b\u2029c\x85d MK000010Q"),
        ("A18", "MK000010Q", "\x1b[31mhel\tlo MK000010Q"),
    ],
)
def test_odd_characters_keep_their_place(name: str, marker: str, expected: str, build: Build) -> None:
    """A15 to A18: a text with odd bytes is one text, with the odd bytes where they were."""
    assert expected == build(name).text_with(marker).strip()


def test_impossible_numbers_are_unknown(build: Build) -> None:
    """A19, A20: a token count that is no number is unknown, not 0, and costs the message nothing else."""
    usages = [
        message.usage
        for name in ("A19", "A20")
        for message in build(name).messages()
        if "MK000010Q" in text_of(message)
    ]

    assert [(None, 5), (None, 5)] == [(usage and usage.input, usage and usage.output) for usage in usages]


def test_the_last_of_two_equal_keys_counts(build: Build) -> None:
    """A23: a record that names its uuid and type twice is what it says last."""
    message = next(item for item in build("A23").messages() if "MK000010Q" in text_of(item))

    assert ("0000000a-0000-4000-8000-111111110000", "assistant") == (message.id, message.role)


def test_lines_that_are_no_records_are_damage(build: Build) -> None:
    """A24: lines of other JSON are noted one by one and stop nothing; blank ones are blank."""
    damage, _ = build("A24").trouble()

    kinds = ["not an object: null", "not an object: number", "not an object: string", "not an object: array"]
    assert [*kinds, "empty object", "not an object: true"] == [reason for reason, _ in damage]


def test_wrong_types_in_every_field_lose_no_record(build: Build) -> None:
    """A25: forty records with a wrong type somewhere are all there with what is usable of them."""
    case = build("A25")

    with TranscriptSource(str(case.transcript)) as source:
        records = sum(1 for _ in source.heads())

    assert (60, 0) == (records, case.session().damage)
    assert 40 > sum(text_of(message) == "junk" for message in case.messages()) > 5


def test_a_message_of_single_characters_is_rejoined(build: Build) -> None:
    """A26: a text that was stored one key a character is one text again, and says so."""
    last = build("A26").messages()[-1]

    assert ["some assistant text" * 50] == [part.text for part in last.parts]
    assert {"repaired": "message was stored as single characters"} == last.parts[0].data


def test_unknown_and_bare_records_are_kept(build: Build) -> None:
    """A27: records of a bare or unknown type are counted; what says nothing is no damage."""
    case = build("A27")

    with TranscriptSource(str(case.transcript)) as source:
        records = sum(1 for _ in source.heads())

    assert (29, 0) == (records, case.session().damage)


# The graph.


@pytest.mark.parametrize(
    "name, mark, times",
    [("B01", "cycle", 1), ("B02", "cycle", 1), ("B03", "cycle", 1), ("B05", "gap", 20), ("A01", "cycle", 0)],
)
def test_broken_links_are_marked(name: str, mark: str, times: int, build: Build) -> None:
    """B01, B02, B03, B05: a cycle is flagged where it was cut, a dangling parent where it dangles."""
    assert times == sum(mark in message.marks for message in build(name).messages())


@pytest.mark.parametrize("name", ["B01", "B02", "B03", "B05", "B07", "B09", "B10", "B11", "B12"])
def test_a_broken_graph_is_read_in_one_line(name: str, build: Build) -> None:
    """B01 to B12: whatever the links say, the visible branch holds every message."""
    case = build(name)
    visible = backscroll.show(HOSTILE, case.home).messages

    assert dict.fromkeys(case.valid, 1) == dict(markers(map(text_of, visible)))


def test_two_contents_under_one_id_are_two_messages(build: Build) -> None:
    """B06: both versions of a doubled uuid are shown."""
    twice = [text_of(message) for message in build("B06").messages() if message.id.startswith("00000003-")]

    assert [["MK000003Q"], ["MK000011Q"]] == [MARKER.findall(text) for text in twice]


def test_375_leaves_are_375_branches(build: Build) -> None:
    """B08: all 380 messages are there, the newest leaf is the visible end, the others are branches."""
    case = build("B08")
    visible = backscroll.show(HOSTILE, case.home)

    assert (380, 375) == (case.session().messages, len(visible.branches))
    assert [*case.valid[:5], case.valid[-1]] == [MARKER.findall(text)[0] for text in map(text_of, visible.messages)]


def test_bad_times_are_unknown_and_order_nothing(build: Build) -> None:
    """B10: messages stay in file order, and a time that cannot be is unknown."""
    case = build("B10")
    messages = case.messages()

    assert case.valid == [MARKER.findall(text_of(message))[0] for message in messages]
    assert {2020, 2026} == {message.time.year for message in messages if message.time}


def test_foreign_ids_inside_a_file_change_nothing(build: Build) -> None:
    """B11, B12: a session is what its file is called; ids and directories in records are plain text."""
    assert {HOSTILE, NEIGHBOUR} == set(build("B11").sessions())
    assert {HOSTILE, NEIGHBOUR} == set(build("B12").sessions())


def test_doubled_records_are_copies(build: Build) -> None:
    """B14: 400 records that say everything twice are 200 messages, each with one copy."""
    assert [1] * 200 == [message.copies for message in build("B14").messages()]


# File systems.


@pytest.mark.parametrize(
    "name, expected",
    [
        ("F01", [(f"{HOSTILE}.jsonl", "not a regular file (FIFO)")]),
        ("F02", [(f"{HOSTILE}.jsonl", "symbolic link to outside the store")]),
        ("F03", []),
        ("F04", [(f"{HOSTILE}.jsonl", "not a regular file (directory)")]),
        ("F05", [(f"{HOSTILE}.jsonl", "broken symbolic link")]),
        ("F08", [(f"{HOSTILE}.jsonl", "symbolic link to outside the store")]),
    ],
)
def test_what_is_no_file_is_passed_over_with_a_reason(name: str, expected: list[tuple[str, str]], build: Build) -> None:
    """F01 to F05, F08: nothing blocks, nothing outside is read, and what was passed over is said."""
    case = build(name)

    assert expected == case.skipped()
    assert [NEIGHBOUR] == list(case.sessions())


def test_odd_file_names_are_escaped_and_readable_by_id(build: Build) -> None:
    """F06: names with line feeds, escapes and bytes that are not UTF-8 are listed escaped, and each is an id."""
    case = build("F06")
    odd = ["-rf", ".", r"\x1b]0;PWN\x07", r"\xff\xfe", "a b", "con", "n" * 244]

    assert [*odd[:2], NEIGHBOUR, *odd[2:]] == sorted(case.sessions())
    assert [["MK000001Q", "MK000002Q", "MK000003Q"]] * 7 == [
        [MARKER.findall(text_of(message))[0] for message in case.messages(name)] for name in odd
    ]


@pytest.mark.slow
def test_5000_small_files_are_5000_sessions(build: Build) -> None:
    """F07: each of very many small files is a session of its own with its two messages."""
    sessions = build("F07").sessions()

    assert 5001 == len(sessions)
    assert {2} == {session.messages for name, session in sessions.items() if name != NEIGHBOUR}
