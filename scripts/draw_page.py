"""Draw the picture of a shared page for README.md, with the Chromium of the system; without one nothing changes.

The page is made by `backscroll share` from the demo home, with the clock stopped.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from unittest.mock import patch

from backscroll.cli.main import run
from backscroll.demo import write_demo_home
from backscroll.demo.rows import NOON
from backscroll.share.pdf import find_browser

PICTURE = Path(__file__).parent.parent / "docs" / "pictures" / "page.png"
SESSION = "3f0c2a51"
WIDTH, HEIGHT = 900, 1200


def main() -> int:
    """Share a session of the demo home, and take a picture of the page."""
    browser = find_browser()
    if browser is None:
        sys.stderr.write("draw_page: no browser was found; docs/pictures/page.png stays as it is\n")
        return 0
    with tempfile.TemporaryDirectory() as place:
        page = Path(place, "session.html")
        home = Path(place, "ann")
        write_demo_home(home, NOON)
        with patch.dict(os.environ, {"HOME": str(home), "BACKSCROLL_HOME": str(Path(place, "own")), "TZ": "UTC"}):
            if code := run(["--root", str(home), "share", SESSION, "-o", str(page)]):
                return code
        options = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
        size = [
            f"--user-data-dir={place}/profile",
            f"--window-size={WIDTH},{HEIGHT}",
            f"--screenshot={PICTURE}",
            page.as_uri(),
        ]
        return subprocess.run([browser, *options, *size], check=False, capture_output=True, timeout=120).returncode


if __name__ == "__main__":
    sys.exit(main())
