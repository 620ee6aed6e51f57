"""What lies on the disk, against what is known."""

import json
import runpy
from pathlib import Path
from typing import Any

import pytest
from make import UUID, Draft, bash, home, inside, line, manifest, write_demo_home, write_side, write_transcript

import backscroll
from backscroll.inventory import known, report
from backscroll.inventory.counting import Inventory
from backscroll.inventory.reading import CODE_ROW, COWORK, KINDS, count_file, is_part
from backscroll.inventory.report import COWORK_CHECK, Drift, compare, version_order
from backscroll.place import Place
from backscroll.records import Damage
from backscroll.sessions.transcript import facts, rows
from backscroll.stores.base import FoundFile

SCRIPT = Path(__file__).parents[2] / "scripts" / "make_known_schema.py"


def types(drift: Drift) -> dict[str, int]:
    """Return how often each type was met."""
    return {item.type: item.count for item in drift.types}


def file(path: Path, kind: str) -> FoundFile:
    """Return a file as a store would find it."""
    return FoundFile(str(path), kind, 1, 0, 0, 0, 0, None, None, None, "")


def test_counts_are_exact(tmp_path: Path) -> None:
    """Records, messages, blocks, attachments and notices are each counted as often as they are there."""
    draft = (
        Draft(UUID).prompt("Hello").answer("Hi.", thinking="hm", calls=[bash("ls", "a")]).attachment("file", text="x")
    )
    path = draft.system("turn_duration", "").write(home(tmp_path))
    stored = [json.loads(text) for text in path.read_bytes().splitlines()]
    drift = backscroll.drift(tmp_path)
    found = types(drift)

    assert len(stored) == drift.records == sum(n for name, n in found.items() if not is_part(name))
    for kind in ("user", "assistant", "system", "attachment"):
        assert sum(record["type"] == kind for record in stored) == found.get(kind, 0)
    assert (1, 1, 1, 1) == tuple(
        found[name] for name in ("block/thinking", "block/tool_use", "attachment/file", "system/turn_duration")
    )
    assert sum("message" in record for record in stored) == found["message"]


def test_unknown_things_come_first_with_an_example(tmp_path: Path) -> None:
    """Unknown types stand before unknown fields, and those before values of new types; each says where it was met."""
    lines = [
        line({"type": "user", "uuid": "u", "version": "2.9.1"}),
        line({"type": "tag", "tag": "x", "sessionId": "s", "colour": "red"}),
        line({"type": "user", "uuid": 7, "version": "2.9.2"}),
        line({"type": "brand-new", "a": 1}),
        line({"type": "system", "subtype": "brand-new"}),
    ]
    path = write_transcript(home(tmp_path), "-p", UUID, lines)
    found = [
        (item.kind, item.type, item.field, item.types, item.versions) for item in backscroll.drift(tmp_path).unknown
    ]

    assert [
        ("type", "brand-new", None, [], ["2.9.2"]),
        ("type", "system/brand-new", None, [], ["2.9.2"]),
        ("field", "tag", "colour", ["string"], ["2.9.1"]),
        ("value", "user", "uuid", ["number"], ["2.9.2"]),
    ] == found
    place = backscroll.drift(tmp_path).unknown[0].place
    assert (str(path), 4, lines[3].rstrip()) == (
        place.path,
        place.line,
        path.read_bytes()[place.offset :][: place.length],
    )
    first = backscroll.drift(tmp_path).types[0]
    assert ("brand-new", False, [("type", None), ("a", None)]) == (
        first.type,
        first.known,
        sorted(((use.name, use.known) for use in first.fields), reverse=True),
    )


def test_null_is_never_new() -> None:
    """A known field may be null."""
    inventory, drift = Inventory(), Drift()
    inventory.add("t", {"a": None, "b": 1}, "code", None, Place("f"))
    compare(inventory, {"t": {"a": ["string"], "b": []}}, drift)

    assert [] == drift.unknown
    assert {"a": True, "b": True} == {use.name: use.known for use in drift.types[0].fields}


def test_types_known_by_name_alone() -> None:
    """Where only the name of a type is known, none of its fields can be new."""
    inventory, drift = Inventory(), Drift()
    inventory.add("t", {"a": 1}, "code", None, Place("f"))
    compare(inventory, {"t": None}, drift)

    assert [] == drift.unknown
    assert [None] == [use.known for use in drift.types[0].fields]


def test_demo_home_is_known(tmp_path: Path) -> None:
    """What our own builder writes in the manner of several versions is known, and counted by version and store."""
    drift = backscroll.drift(write_demo_home(tmp_path))

    assert [] == [item for item in drift.unknown if item.kind == "type"]
    user = next(item for item in drift.types if item.type == "user")
    assert {"code", "cowork"} == user.stores.keys()
    assert sum(user.stores.values()) == user.count
    assert sum(user.versions.values()) == user.count


def test_side_files(tmp_path: Path) -> None:
    """Prompts, titles, meta files and the registry of live sessions are counted under names of their own."""
    root = home(tmp_path)
    write_side(root, "history.jsonl", line({"display": "x", "project": "/p"}))
    write_side(root, f"projects/-p/{UUID}/custom-title.json", b'{"customTitle":"T"}')
    write_side(root, f"projects/-p/{UUID}/subagents/agent-a1.meta.json", b'{"agentType":"x"}')
    write_side(root, "sessions/7.json", b'{"pid":7}')

    assert {"history": 1, "title": 1, "agent-meta": 1, "live": 1} == types(backscroll.drift(root))


def test_audits_have_types_of_their_own(tmp_path: Path) -> None:
    """Cowork's audit repeats messages, which count as such, under types that are not those of transcripts."""
    records: list[dict[str, Any]] = [
        {"type": "system", "subtype": "init"},
        {"type": "user", "message": {"content": [{"type": "text", "text": "x"}]}},
    ]
    inside(manifest(tmp_path), "audit.jsonl", b"".join(map(line, records)))
    found = types(backscroll.drift(tmp_path))

    assert {"audit/system": 1, "audit/user": 1, "message": 1, "block/text": 1, COWORK: 1} == found


def test_secrets_are_not_opened(tmp_path: Path) -> None:
    """Settings and credentials are no part of the inventory."""
    root = home(tmp_path)
    for name in (".credentials.json", "settings.json", "x.key", ".claude.json", "backups/.claude.json.backup.1"):
        write_side(root, name, b'{"token":"x"}')
    (root / ".claude.json").write_bytes(b'{"token":"x"}')

    assert (0, []) == (backscroll.drift(root).files, backscroll.drift(root).types)
    assert not {"secret", "settings", "global-config", "config-backup", "desktop-config"} & KINDS


def test_damage(tmp_path: Path) -> None:
    """What could not be read is damage, and the rest is counted."""
    write_transcript(home(tmp_path), "-p", UUID, [line({"type": "tag", "tag": "x"}), b'{"type":"ta'])
    drift = backscroll.drift(tmp_path)

    assert ({"tag": 1}, 1) == (types(drift), len(drift.damage))
    [gone] = count_file(file(tmp_path / "gone.jsonl", "transcript"), "code", Inventory())
    assert isinstance(gone, Damage)


@pytest.mark.parametrize("content", [[], "x", {"content": 7}, {"content": ["text", None]}, {"usage": []}])
def test_messages_of_another_shape(content: Any, tmp_path: Path) -> None:
    """A message of an unexpected shape is counted as far as it goes."""
    write_transcript(home(tmp_path), "-p", UUID, [line({"type": "user", "message": content, "attachment": []})])

    assert 1 == backscroll.drift(tmp_path).records


MANIFEST = {"sessionId": "local_x", "processName": "calm", "createdAt": 1, "isArchived": "no", "novel": 1}


def test_formats_9_row_23_rows_are_told_apart_by_their_fields(tmp_path: Path) -> None:
    """Row 23: both directories hold both products' rows; the fields tell which one it is."""
    inventory = Inventory()
    for name, value in (("a", MANIFEST), ("b", {"sessionId": "local_y", "cwd": "/p", "completedTurns": 1})):
        (tmp_path / name).write_text(json.dumps(value))
        assert [] == count_file(file(tmp_path / name, "row"), "desktop", inventory)

    assert {COWORK, CODE_ROW} == inventory.types().keys()


def test_formats_9_row_25_cowork_27_fields(tmp_path: Path) -> None:
    """Row 25: the 27 fields of the public schema, 15 said to be required, are a check with a name of its own."""
    inventory, drift = Inventory(), Drift()
    (tmp_path / "a").write_text(json.dumps(MANIFEST))
    count_file(file(tmp_path / "a", "row"), "cowork", inventory)
    compare(inventory, known.known_types(), drift)
    [check] = drift.checks
    fields = {field.name: field for field in check.fields}

    assert (COWORK_CHECK, 1, 27, 15) == (check.name, check.records, len(fields), sum(f.required for f in check.fields))
    assert fields["processName"].holds
    assert not fields["vmProcessName"].holds
    assert not fields["isArchived"].holds
    assert fields["error"].holds
    assert [("field", "novel"), ("value", "isArchived")] == [(item.kind, item.field) for item in drift.unknown]


def test_the_27_fields_are_those_of_the_seed(shared: Path) -> None:
    """The named check has the names, types and required fields of the schema that was published."""
    seed = json.loads(next((shared / "seeds").glob("003_*")).read_text())
    expected = {name: (value["type"], name in seed["required"]) for name, value in seed["properties"].items()}

    assert expected == {name: tuple(value) for name, value in known.cowork_fields().items()}


def test_known_schema_has_every_type_that_the_code_knows() -> None:
    """Every record type that shapes a conversation, or is ignored, is known to `drift` too."""
    assert {*rows.TREE_TYPES, *facts.IGNORED_TYPES, *map(str, facts._STATEMENTS)} <= known.known_types().keys()


def test_known_schema_is_that_of_the_script() -> None:
    """The data file holds all that its script lists."""
    for name, fields in runpy.run_path(str(SCRIPT))["listed"]().items():
        stored = known.known_types()[name]
        assert fields is None or fields.keys() <= (stored or {}).keys(), name


@pytest.mark.corpus
def test_what_real_versions_wrote_is_known(corpus: Path) -> None:
    """Nothing that an unmodified Claude Code wrote is unknown."""
    unknown = [
        (path.name, item) for path in sorted((corpus / "cli").iterdir()) for item in backscroll.drift(path).unknown
    ]

    assert [] == unknown


@pytest.mark.slow
@pytest.mark.corpus
def test_what_others_misspelt_is_found(corpus: Path) -> None:
    """In a home of public transcripts what is misspelt or invented is found."""
    unknown = {(item.type, item.field) for item in backscroll.drift(corpus / "home").unknown}

    assert {("message", "contenst"), ("user", "timesstamp"), ("tool_use", None)} <= unknown


def satisfies(value: dict[str, Any], definition: dict[str, Any]) -> bool:
    """Say whether an object fits a definition of the schema, as far as our schemas go."""
    names = {dict: "object", list: "array", str: "string", bool: "boolean", int: "number", float: "number"}
    for name, item in value.items():
        allowed = definition["properties"][name]["type"]
        if names.get(type(item), "null") not in ([allowed] if isinstance(allowed, str) else allowed):
            return False
    return set(definition["required"]) <= value.keys()


def test_schema_fits_the_files_that_it_was_made_from(tmp_path: Path) -> None:
    """Every record satisfies the definition of its type, and what all have is required."""
    root = write_demo_home(tmp_path)
    schema: dict[str, Any] = backscroll.drift_json_schema(root)
    count = 0
    for path in (root / ".claude/projects").rglob("*.jsonl"):
        for text in path.read_bytes().splitlines():
            record = json.loads(text) if text.startswith(b'{"') and text.endswith(b"}") else None
            if record:
                assert satisfies(record, schema["$defs"][record["type"]])
                count += 1

    assert count > 100
    assert "user" == schema["$defs"]["user"]["properties"]["type"]["const"]
    assert {"$ref": "#/$defs/assistant"} in schema["anyOf"]
    assert {"$ref": "#/$defs/block~1text"} not in schema["anyOf"]
    assert "block/text" in schema["$defs"]


def test_progress_is_told(tmp_path: Path) -> None:
    """Long readings say how far they are."""
    write_transcript(home(tmp_path), "-p", UUID, [line({"type": "tag"})])
    told: list[Any] = []
    backscroll.drift(tmp_path, on_progress=told.append)

    assert [(1, 1)] == [(progress.done, progress.total) for progress in told]


def test_order_of_versions() -> None:
    """Versions are ordered as people do; what is no version does no harm."""
    versions = ["2.10.0", "2.9.1", None, "x", "2.9.10", "1.0.128", "9" * 5000]

    assert [None, "x", "1.0.128", "2.9.1", "2.9.10", "2.10.0"] == [
        version for version in sorted(versions, key=version_order) if version != "9" * 5000
    ]
    assert report.COWORK_CHECK == "cowork-27-fields"
