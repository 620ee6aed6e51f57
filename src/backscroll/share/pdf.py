"""A page as PDF, printed by Chromium, Chrome or Edge: headless, with an empty profile, and without network.

The browser gets a home directory of its own, and no variables of ours but the path of programs.  The PDF names
backscroll as its creator, not the system.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path

from backscroll.errors import RefusedError

PROGRAMS = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "microsoft-edge",
    "microsoft-edge-stable",
    "msedge",
    "chrome",
)
_PLACES = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
    r"C:\Program Files\Google\Chrome\Application\chrome.exe",
    r"C:\Program Files (x86)\Google\Chrome\Application\chrome.exe",
    r"C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe",
    r"C:\Program Files\Microsoft\Edge\Application\msedge.exe",
)
_FLAGS = (
    "--headless",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-extensions",
    "--disable-sync",
    "--metrics-recording-only",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--proxy-server=127.0.0.1:9",
    "--no-pdf-header-footer",
    "--user-agent=backscroll",
)
_LONGEST = 600
"""Seconds; 2 MB of page take about 4."""
_STREAM = re.compile(rb"stream\r?\n(.*?)\r?\nendstream", re.DOTALL)
_STRING = re.compile(
    rb"/(?:Title|Author|Subject|Keywords|Creator|Producer|URI|Contents|Alt|ActualText|TU)\s*(\((?:[^()\\]|\\.)*\)|<[^>]*>)"
)


def unfolded(page: str) -> str:
    """Return a page of ours with all boxes open, because nobody can click on paper.  Foreign text holds no tags."""
    return page.replace("<details class=", "<details open class=")


def find_browser(env: Mapping[str, str] | None = None) -> str | None:
    """Return the program of a browser that prints pages; None if there is none."""
    path = (os.environ if env is None else env).get("PATH")
    named = (shutil.which(name, path=path) for name in PROGRAMS)
    return next((program for program in (*named, *filter(os.path.exists, _PLACES)) if program), None)


def require_browser() -> str:
    """Return the program of a browser; raise RefusedError if there is none."""
    browser = find_browser()
    if browser is None:
        raise RefusedError(
            "no browser was found that can print a PDF",
            remedy="Install Chromium, Chrome or Edge (Debian, Ubuntu: apt install chromium), or write .html.",
        )
    return browser


def print_page(page: Path) -> Path:
    """Print a page into a PDF beside it; raise RefusedError if the browser fails."""
    output = page.with_suffix(".pdf")
    with tempfile.TemporaryDirectory(prefix="backscroll-", ignore_cleanup_errors=True) as profile:
        command = [require_browser(), *_FLAGS, f"--user-data-dir={profile}", f"--print-to-pdf={output.absolute()}"]
        command += ["--no-sandbox"] if _is_root() else []
        _run([*command, page.absolute().as_uri()], profile)
    if not output.is_file():
        raise RefusedError("the browser printed no PDF", remedy="Write .html, and print it yourself.")
    return output


def _run(command: list[str], profile: str) -> None:
    try:
        subprocess.run(  # noqa: S603  (a browser, with a page of ours)
            command,
            check=False,
            timeout=_LONGEST,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=_environment(profile),
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise RefusedError("the browser could not print the page", remedy="Write .html instead.") from error


def _environment(profile: str) -> dict[str, str]:
    """Return the few variables that the browser gets; its home is the empty profile, its clock has no place."""
    kept = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT", "LD_LIBRARY_PATH") if name in os.environ}
    return {**kept, "HOME": profile, "TMPDIR": profile, "TEMP": profile, "TZ": "UTC", "LANG": "C.UTF-8"}


def _is_root() -> bool:
    """Return True for a user for whom Chromium refuses its sandbox."""
    return sys.platform != "win32" and os.geteuid() == 0


def plain_texts(data: bytes) -> str:
    """Return the title, the other facts and the links of a PDF, one in a line."""
    texts = [found[1] for part in (data, *_streams(data)) for found in _STRING.finditer(part)]
    return "\n".join(map(_text, texts))


def _streams(data: bytes) -> Iterator[bytes]:
    """Yield the compressed parts that hold objects; others hold drawings."""
    for found in _STREAM.finditer(data):
        if b"/ObjStm" in data[max(0, found.start() - 200) : found.start()]:
            try:
                yield zlib.decompress(found[1])
            except zlib.error:
                continue


def _text(raw: bytes) -> str:
    if raw.startswith(b"<"):
        digits = re.sub(rb"[^0-9A-Fa-f]", b"", raw)
        value = bytes.fromhex((digits + b"0" * (len(digits) % 2)).decode())
    else:
        value = re.sub(rb"\\(.)", rb"\1", raw[1:-1], flags=re.DOTALL)
    return value.decode("utf-16" if value.startswith((b"\xfe\xff", b"\xff\xfe")) else "utf-8", "replace")
