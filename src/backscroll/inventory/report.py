"""The counts, compared with the known schema: the result of `drift`."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from backscroll.index.progress import Progress
from backscroll.inventory.counting import Inventory, Tally
from backscroll.inventory.known import Fields, cowork_fields, known_types
from backscroll.inventory.reading import COWORK, KINDS, count_file
from backscroll.place import Place
from backscroll.records import Damage
from backscroll.stores.base import FoundFile, Store

COWORK_CHECK = "cowork-27-fields"


@dataclass(frozen=True, slots=True)
class FieldUse:
    """One field of one type."""

    name: str
    count: int
    types: dict[str, int]
    known: bool | None
    """None where the fields of this type are not known, so that none can be new."""
    versions: dict[str | None, int]


@dataclass(frozen=True, slots=True)
class TypeUse:
    """One type of record, or of a part of records."""

    type: str
    count: int
    known: bool
    fields: list[FieldUse]
    stores: dict[str, int]
    versions: dict[str | None, int]
    """The counts by version of Claude Code; None for records without a version."""


@dataclass(frozen=True, slots=True)
class Unknown:
    """Something that the known schema does not have, and its first place."""

    kind: str
    """type, field, or value: a known field with a new type of value."""
    type: str
    field: str | None
    count: int
    types: list[str]
    versions: list[str]
    place: Place


@dataclass(frozen=True, slots=True)
class CheckedField:
    """One field of a named check."""

    name: str
    count: int
    expected: str
    required: bool
    types: dict[str, int]
    holds: bool
    """True if it has only values of the expected type and, if it is required, is never missing."""


@dataclass(frozen=True, slots=True)
class Check:
    """A claim of others about fields, compared with this disk."""

    name: str
    claim: str
    records: int
    fields: list[CheckedField]


@dataclass(slots=True)
class Drift:
    """All types and fields on the disk, unknown ones first."""

    files: int = 0
    records: int = 0
    types: list[TypeUse] = field(default_factory=list)
    unknown: list[Unknown] = field(default_factory=list)
    checks: list[Check] = field(default_factory=list)
    damage: list[Damage] = field(default_factory=list)


def read_drift(stores: Iterable[Store], on_progress: Callable[[Progress], None] | None = None) -> Drift:
    """Count everything in all stores, and compare it with the known schema."""
    drift, inventory, done = Drift(), Inventory(), 0
    walked = [(store.kind, item) for store in stores for item in store.files()]
    drift.damage += [item for _, item in walked if isinstance(item, Damage)]
    found = [(kind, item) for kind, item in walked if isinstance(item, FoundFile) and item.kind in KINDS]
    for drift.files, (store, file) in enumerate(found, 1):
        drift.damage += count_file(file, store, inventory)
        done += file.size
        if on_progress:
            on_progress(Progress(drift.files, len(found), done, "reading"))
    drift.records = inventory.records
    compare(inventory, known_types(), drift)
    return drift


def compare(inventory: Inventory, known: dict[str, Fields | None], drift: Drift) -> None:
    """Fill a report from the counts."""
    for name, tally in inventory.types().items():
        fields = inventory.fields(name)
        drift.types.append(_type_use(name, tally, fields, known))
        drift.unknown += _unknown(name, tally, fields, known)
    order = {"type": 0, "field": 1, "value": 2}
    drift.unknown.sort(key=lambda item: (order[item.kind], -item.count, item.type, item.field or ""))
    drift.types.sort(key=lambda item: (item.known, -item.count, item.type))
    drift.checks.append(_cowork_check(inventory))


def _type_use(name: str, tally: Tally, fields: dict[str, Tally], known: dict[str, Fields | None]) -> TypeUse:
    expected = known.get(name)
    uses = [
        FieldUse(
            field,
            use.count,
            use.counts(),
            None if expected is None else field in expected,
            _by_version(use),
        )
        for field, use in fields.items()
    ]
    uses.sort(key=lambda use: (use.known is not False, -use.count, use.name))
    return TypeUse(name, tally.count, name in known, uses, dict(tally.stores), _by_version(tally))


def _unknown(name: str, tally: Tally, fields: dict[str, Tally], known: dict[str, Fields | None]) -> Iterable[Unknown]:
    if name not in known:
        yield Unknown("type", name, None, tally.count, [], _versions(tally), tally.place)
        return
    expected = known[name]
    for field_name, use in fields.items() if expected is not None else ():
        usual = (expected or {}).get(field_name)
        if usual is None:
            yield Unknown("field", name, field_name, use.count, sorted(use.values), _versions(use), use.place)
            continue
        for value, met in use.values.items():
            if usual and value not in (*usual, "null"):
                yield Unknown("value", name, field_name, met.count, [value], _versions(met), met.place)


def _cowork_check(inventory: Inventory) -> Check:
    tally, fields = inventory.types().get(COWORK), inventory.fields(COWORK)
    records = tally.count if tally else 0
    checked = []
    for name, expected in cowork_fields().items():
        use = fields.get(name)
        values, count = (use.counts(), use.count) if use else ({}, 0)
        holds = values.keys() <= {expected.value} and (count == records or not expected.required)
        checked.append(CheckedField(name, count, expected.value, expected.required, values, holds))
    return Check(COWORK_CHECK, "the 27 fields that others found in 146 manifests of Cowork", records, checked)


def _by_version(tally: Tally) -> dict[str | None, int]:
    return dict(sorted(tally.versions.items(), key=lambda item: version_order(item[0])))


def _versions(tally: Tally) -> list[str]:
    return sorted((version for version in tally.versions if version), key=version_order)


def version_order(version: str | None) -> list[tuple[int, str]]:
    """Return a sort key for versions: 2.0.9 before 2.0.10, unknown ones first."""
    parts = (version or "").split(".")
    return [(int(part), "") if part.isdecimal() and len(part) < 10 else (0, part) for part in parts]
