"""Compare the record types and fields on the disk with the known schema."""

from __future__ import annotations

from typing import TYPE_CHECKING

from backscroll.lazy import lazily
from backscroll.records import Json
from backscroll.verbs.base import LibraryBase

if TYPE_CHECKING:
    from backscroll.inventory import report as drift_report
    from backscroll.inventory import schema as drift_schema
else:
    drift_report = lazily("backscroll.inventory.report")
    drift_schema = lazily("backscroll.inventory.schema")


class DriftVerbs(LibraryBase):
    """The verbs about the record types and fields on the disk."""

    def drift(self) -> drift_report.Drift:
        """Return the record types and fields on the disk, compared with the known ones."""
        found = drift_report.read_drift(self.stores(), self.on_progress)
        self.note_damage(found.damage)
        return found

    def drift_json_schema(self) -> dict[str, Json]:
        """Return a JSON Schema inferred from the records on the disk."""
        return drift_schema.infer_schema(self.drift().types)
