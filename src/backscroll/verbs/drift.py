"""Which types of records and fields lie on the disk, against those that are known."""

from typing import Any

from backscroll.inventory import report as drift_report
from backscroll.inventory import schema as drift_schema
from backscroll.verbs.opened import OnProgress, Root, stores_of


def drift(root: Root = None, *, on_progress: OnProgress = None) -> drift_report.Drift:
    """Return which types of records and fields lie on the disk, against those that are known."""
    return drift_report.read_drift(stores_of(root), on_progress)


def drift_json_schema(root: Root = None, *, on_progress: OnProgress = None) -> dict[str, Any]:
    """Return a JSON Schema of the records that lie on the disk, inferred from them."""
    return drift_schema.infer_schema(drift(root, on_progress=on_progress).types)
