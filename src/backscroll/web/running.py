"""The file that names a running server, so that a second `web` of the same root finds it."""

import hashlib
import os
from collections.abc import Mapping, Sequence
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import NamedTuple

import msgspec

from backscroll import dirs
from backscroll.files import make_private_directory, read_small, write_atomically
from backscroll.web.secrets_of_run import RunSecret


class RunningServer(NamedTuple):
    """The address and the secret of a server."""

    port: int
    token: str
    pid: int

    def url(self, page: str = "/") -> str:
        """Return a new address that signs one browser in."""
        return f"http://127.0.0.1:{self.port}{page}#{RunSecret(self.token).new_link()}"

    def is_alive(self) -> bool:
        """Return True if the server answers and knows its token."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=2)
        try:
            connection.request("HEAD", "/api/", headers={"Authorization": f"Bearer {self.token}"})
            return connection.getresponse().status == 404  # 401 would be the answer of another server
        except (OSError, HTTPException):
            return False
        finally:
            connection.close()


def run_file(roots: Sequence[Path], env: Mapping[str, str] = os.environ) -> Path:
    """Return the path of the file for some roots."""
    name = hashlib.sha256("\0".join(map(str, roots)).encode("utf-8", "surrogateescape")).hexdigest()[:16]
    return dirs.home(env) / "run" / f"web-{name}.json"


def find(path: Path) -> RunningServer | None:
    """Return the running server that a file names; None if there is none."""
    try:
        found = msgspec.json.decode(read_small(path, 4096), type=RunningServer)
    except (OSError, ValueError):
        return None
    return found if found.is_alive() else None


def remember(path: Path, server: RunningServer) -> None:
    """Write the file of a server, readable by its owner alone."""
    make_private_directory(path.parent)
    write_atomically(path, msgspec.json.encode(server), inside=path.parent, durable=False)


def forget(path: Path, server: RunningServer) -> None:
    """Remove the file of a server, unless another one wrote it since."""
    try:
        found = msgspec.json.decode(read_small(path, 4096), type=RunningServer)
    except (OSError, ValueError):
        return
    if found == server:
        path.unlink(missing_ok=True)
