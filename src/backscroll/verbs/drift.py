"""Which types of records and fields lie on the disk, against those that are known."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from backscroll.lazy import lazily
from backscroll.verbs.opened import Opened

if TYPE_CHECKING:
    from backscroll.inventory import report as drift_report
    from backscroll.inventory import schema as drift_schema
else:
    drift_report = lazily("backscroll.inventory.report")
    drift_schema = lazily("backscroll.inventory.schema")


class DriftVerbs(Opened):
    """Asks which types of records and fields lie on the disk."""

    def drift(self) -> drift_report.Drift:
        """Return which types of records and fields lie on the disk, against those that are known."""
        return drift_report.read_drift(self.stores(), self.on_progress)

    def drift_json_schema(self) -> dict[str, Any]:
        """Return a JSON Schema of the records that lie on the disk, inferred from them."""
        return drift_schema.infer_schema(self.drift().types)
