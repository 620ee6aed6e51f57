"""The inventory for people and for scripts."""

import json
from dataclasses import replace

from backscroll.inventory.report import Check, CheckedField, Drift, FieldUse, TypeUse, Unknown
from backscroll.place import Place
from backscroll.views.reports.drift import drift_document, drift_report, schema_document
from backscroll.views.terminal.paper import Paper, plain

FIELD = FieldUse("a\x1b[2J", 1, {"string": 1, "null": 3}, known=False, versions={"2.1.0": 1})
TYPES = [
    TypeUse("new", 1, known=False, fields=[], stores={"code": 1}, versions={None: 1}),
    TypeUse("user", 4, known=True, fields=[FIELD], stores={"code": 4}, versions={None: 1, "2.0.9": 1, "2.1.0": 2}),
]
UNKNOWN = [Unknown("field", "user", "a\x1b[2J", 1, ["string"], ["2.0.9", "2.1.0"], Place("/p/" + "x" * 90, 7))]
CHECK = Check("name", "the claim", 2, [CheckedField("b", 1, "string", required=True, types={"null": 1}, holds=False)])
DRIFT = Drift(files=2, records=5, types=TYPES, unknown=UNKNOWN, checks=[CHECK])


def shown(drift: Drift, kind: str | None = None, width: int | None = None) -> str:
    """Return the answer for people."""
    return "\n".join(plain(line) for line in drift_report(drift, kind, Paper(width=width)))


def test_report() -> None:
    """What is not known stands first, then all types, then the claims that do not hold."""
    text = shown(DRIFT)

    assert text.startswith("5 records  of 2 types in 2 files")
    assert text.index("Not known") < text.index("Types") < text.index("the claim: 2 manifests here")
    assert "a\\x1b[2J" in text
    assert "2.0.9 – 2.1.0" in text
    assert "claimed: string, always" in text


def test_report_on_a_terminal() -> None:
    """No line is wider than the terminal, and of a long place the end is shown."""
    lines = shown(DRIFT, width=120).splitlines()

    assert max(map(len, lines)) <= 120
    assert any(line.endswith("xxx:7") for line in lines)


def test_one_type() -> None:
    """The fields of one type are shown with how many records have them."""
    text = shown(DRIFT, "user")

    assert "user  4 records, 2.0.9 – 2.1.0" in text
    assert "25 %" in text
    assert "string 1, null 3" in text
    assert "No records of this type found." == shown(DRIFT, "nobody")


def test_nothing_unknown() -> None:
    """It is said that everything is known, that nothing was found, and that a claim holds."""
    check = replace(CHECK, fields=[])

    assert "Everything is known." in shown(Drift(types=TYPES[1:], checks=[check]))
    assert "All fields are as claimed." in shown(Drift(types=TYPES[1:], checks=[check]))
    assert "No records found." == shown(Drift())


def test_document() -> None:
    """JSON has the keys of the contract; a version that is not known has an empty name."""
    answer = json.loads("".join(drift_document(DRIFT)))

    assert (2, 5, ["new", "user"]) == (answer["files"], answer["records"], [item["type"] for item in answer["types"]])
    field = answer["types"][1]["fields"][0]
    assert ("a\x1b[2J", 1, {"string": 1, "null": 3}, False) == (
        field["name"],
        field["count"],
        field["types"],
        field["known"],
    )
    assert {"": 1} == answer["types"][0]["versions"]
    assert 7 == answer["unknown"][0]["place"]["line"]
    assert ["user"] == [item["type"] for item in json.loads("".join(drift_document(DRIFT, "user")))["types"]]


def test_schema_is_plain_json() -> None:
    """The schema is one document, with escapes for what could command a terminal."""
    assert {"a": "\x1b"} == json.loads("".join(schema_document({"a": "\x1b"})))
    assert "\x1b" not in "".join(schema_document({"a": "\x1b\x9b\u202e"}))
