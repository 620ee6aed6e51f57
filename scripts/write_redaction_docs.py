"""Write the measured table into docs/redaction.md; with --check, fail if it is out of date.

The table comes from the seeded generator of the tests, so it is the same on every machine.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "redaction.md"
BEGIN, END = "[//]: # (measured: begin)\n\n", "\n[//]: # (measured: end)"

sys.path.insert(0, str(ROOT / "tests"))

from redact.measure import measure, table  # noqa: E402 - the tests are no installed package


def main() -> int:
    """Measure, then write or compare the page."""
    page = PAGE.read_text(encoding="utf-8")
    written = re.sub(f"(?s)(?<={re.escape(BEGIN)}).*?(?={re.escape(END)})", lambda _: table(measure()), page)
    if "--check" in sys.argv[1:]:
        return int(written != page)
    PAGE.write_text(written, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
