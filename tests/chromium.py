"""Drives a real Chromium: a page of https://claude.ai that keeps things in its browser, without any network.

    with Page(tmp_path / "profile") as page:
        page.run("localStorage.setItem('a', 'b')")

Commands go over a pipe (Chrome DevTools Protocol); every request of the page is answered here.
"""

import base64
import json
import os
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any, Self

import pytest

ORIGIN = "https://claude.ai"
BINARY = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
SQLITE = "--enable-features=DomStorageSqlite,IdbSqliteBackingStore"
LEVELDB = "--disable-features=DomStorageSqlite,DomStorageSqliteMigration,IdbSqliteBackingStore"

needs_chromium = pytest.mark.skipif(BINARY is None, reason="needs chromium, which is not installed")

_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--enable-aggressive-domstorage-flushing",
    "--remote-debugging-pipe",
)


class Page:
    """One page of claude.ai in a browser of its own."""

    def __init__(self, profile: Path, engine: str = LEVELDB) -> None:
        to_read, self._to = os.pipe()
        self._from, from_write = os.pipe()

        def connect() -> None:
            # Chromium reads commands from 3 and writes answers to 4, whatever numbers the pipes have here.
            low = [os.dup(number) if number in (3, 4) else number for number in (to_read, from_write)]
            os.dup2(low[0], 3)
            os.dup2(low[1], 4)

        self._process = subprocess.Popen(  # the child must have these very numbers, so it may not close them
            [str(BINARY), f"--user-data-dir={profile}", engine, *_FLAGS, "about:blank"],
            preexec_fn=connect,  # noqa: PLW1509 - no thread of ours runs
            close_fds=False,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_read)
        os.close(from_write)
        self._data, self._number, self._session = b"", 0, ""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.call("Fetch.enable")
        self.call("Page.navigate", url=f"{ORIGIN}/")
        while self.run("location.origin + document.readyState") != f"{ORIGIN}complete":
            time.sleep(0.02)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let the browser end as it does when somebody quits it: everything is written."""
        if self._process.poll() is None:
            self._session = ""
            self._send("Browser.close")
            try:
                self._process.wait(30)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        for pipe in {self._to, self._from}:
            os.close(pipe)
        self._to = self._from = -1

    def run(self, script: str) -> Any:
        """Return what an expression of JavaScript gives, a promise's outcome included."""
        answer = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)

        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Send a command and return its answer; meanwhile the page's requests are answered."""
        number = self._send(method, **parameters)
        while True:
            message = self._receive()
            if message.get("id") == number:
                assert "error" not in message, message
                answer: dict[str, Any] = message["result"]
                return answer
            if message.get("method") == "Fetch.requestPaused":
                body = base64.b64encode(b"<!doctype html><title>made for a test</title>").decode()
                headers = [{"name": "content-type", "value": "text/html"}]
                request = message["params"]["requestId"]
                self._send(
                    "Fetch.fulfillRequest", requestId=request, responseCode=200, responseHeaders=headers, body=body
                )

    def _send(self, method: str, **parameters: Any) -> int:
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        return self._number

    def _receive(self) -> dict[str, Any]:
        while b"\0" not in self._data:
            chunk = os.read(self._from, 1 << 20)

            assert chunk, "the browser has ended"
            self._data += chunk
        raw, _, self._data = self._data.partition(b"\0")
        message: dict[str, Any] = json.loads(raw)
        return message
