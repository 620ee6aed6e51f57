"""Draw the pictures of the web page in the documents, from the demo home in a real Chromium.

Pixels differ from machine to machine, so the pictures are drawn again only when the built page has changed.
"""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from playwright.sync_api import sync_playwright

from backscroll.demo import write_demo_home

ROOT = Path(__file__).parents[1]
PICTURES = ROOT / "docs/screenshots"
DRAWN = PICTURES / "drawn.sha256"
PAGES = {
    "web-list": ("/", "a.row"),
    "web-reader": ("/sessions/3f0c2a51-7d7e-4c1b-9a53-0d5e8a7c1b01", ".forkbox"),
    "web-files": ("/files?path=/home/ann/code/ledger/ledger/amounts.py", ".dl.a"),
    "web-usage": ("/usage?days=all", ".chart canvas"),
}


def digest() -> str:
    """Return the digest of the built page."""
    files = sorted((ROOT / "src/backscroll/web/static").iterdir())
    return hashlib.sha256(b"".join(one.read_bytes() for one in files)).hexdigest()


def draw(chromium: str, directory: Path) -> None:
    """Serve a demo home and take one picture of each page."""
    write_demo_home(directory / "home", datetime.now(UTC))
    command = [sys.executable, "-m", "backscroll", "--root", str(directory / "home"), "web", "--no-open", "--json"]
    env = {**os.environ, "BACKSCROLL_HOME": str(directory / "own")}
    with (
        subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=env) as server,
        sync_playwright() as play,
    ):
        url = json.loads(next(iter(server.stdout or ())))["url"]
        browser = play.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1280, "height": 800}, color_scheme="light")
        page.goto(url)
        for name, (path, element) in PAGES.items():
            page.wait_for_selector("h1")
            page.goto(url.partition("/#")[0] + path)
            page.wait_for_selector(element)
            page.wait_for_timeout(1000)
            page.screenshot(path=PICTURES / f"{name}.png")
        browser.close()
        server.terminate()


def main() -> int:
    """Draw the pictures if the page has changed and there is a Chromium."""
    chromium = shutil.which("chromium")
    if chromium is None or (DRAWN.exists() and DRAWN.read_text() == digest()):
        return 0
    with tempfile.TemporaryDirectory() as directory:
        draw(chromium, Path(directory))
    DRAWN.write_text(digest())
    return 0


if __name__ == "__main__":
    sys.exit(main())
