"""Bundles and pins: sessions to another machine, groups of the sidebar to another account."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from backscroll.errors import NotFoundError, QueryError, RefusedError, UnreadableError
from backscroll.files import open_readonly, reason_at_named
from backscroll.index.db import Connection
from backscroll.index.queries import sessions as query
from backscroll.index.queries.session_filter import SessionFilter
from backscroll.lazy import lazily
from backscroll.stores.find import browser_stores
from backscroll.verbs.transfer import TransferVerbs

if TYPE_CHECKING:
    from backscroll.changes import plan as plans
    from backscroll.sessions.joining import marks as desktop_marks
    from backscroll.transfer import model as transfer_model
    from backscroll.transfer import path_map as paths
    from backscroll.transfer import resume as resuming
    from backscroll.transfer.bundles import bundle as bundles
    from backscroll.transfer.bundles import pack as packing
    from backscroll.transfer.bundles import secret
    from backscroll.transfer.bundles import unpack as unpacking
    from backscroll.transfer.rows import pins as pinning
else:
    transfer_model = lazily("backscroll.transfer.model")
    plans = lazily("backscroll.changes.plan")
    desktop_marks = lazily("backscroll.sessions.joining.marks")
    bundles = lazily("backscroll.transfer.bundles.bundle")
    packing = lazily("backscroll.transfer.bundles.pack")
    paths = lazily("backscroll.transfer.path_map")
    pinning = lazily("backscroll.transfer.rows.pins")
    resuming = lazily("backscroll.transfer.resume")
    secret = lazily("backscroll.transfer.bundles.secret")
    unpacking = lazily("backscroll.transfer.bundles.unpack")

_LARGEST_SEALED = 4 << 30
"""A bundle under a passphrase is opened in memory."""


class BundleVerbs(TransferVerbs):
    """The verbs that carry sessions between machines, and groups between accounts."""

    def transfer_pack(
        self,
        sessions: str | Sequence[str] = (),
        *,
        output: str | os.PathLike[str],
        project: str | None = None,
        redact: bool = False,
        passphrase_file: str | os.PathLike[str] | None = None,
    ) -> transfer_model.Packed:
        """Write sessions, or all of a project, into a new bundle."""
        place = Path(os.fspath(output))
        self._refuse_stores(place)
        phrase = None if passphrase_file is None else secret.read_passphrase(Path(passphrase_file))
        ids = [sessions] if isinstance(sessions, str) else list(sessions)
        if bool(ids) == (project is not None):
            raise QueryError("name sessions, or a project", remedy="Give ID... or --project P.")
        packer = packing.Packer(self.open_file(), self.redactor() if redact else None)
        keys: dict[Path, None] = {}
        with self.catalogue() as database:
            for name in self._named(database, ids) if ids else self._of_project(database, project):
                found = query.session(database, name)
                if project is not None and not packing.can_go(found):
                    packer.leave_out(found)
                    continue
                packer.add(found, query.agents(database, name))
                keys |= dict.fromkeys(Path(path).parent for path in found.transcripts if "/projects/" in path)
        if project is not None:
            packer.add_memory(keys)
        return packer.write(place, phrase)

    def transfer_unpack(  # noqa: PLR0913 - one argument per option of the command
        self,
        bundle: str | os.PathLike[str],
        *,
        maps: Iterable[str] = (),
        to: str | None = None,
        passphrase_file: str | os.PathLike[str] | None = None,
        apply: bool = False,
        force: bool = False,
    ) -> transfer_model.Unpacking:
        """Plan to unpack a bundle; each map has the form `OLD=NEW`; `apply=True` acts."""
        place = Path(os.fspath(bundle))
        phrase = None if passphrase_file is None else secret.read_passphrase(Path(passphrase_file))
        parsed = [paths.parsed_map(text) for text in maps]
        config, is_usual = resuming.target_config(self.root, self._env)
        with self.catalogue() as database:
            emails = self._emails(database)
        desktops = self._desktops()
        wish = unpacking.UnpackOptions(config, desktops, self._journal, parsed, to, emails, force, is_usual)
        with bundles.Bundle(partial(_opened, place, phrase), str(place)) as opened:
            planned = unpacking.plan_unpack(opened, wish)
            return self._applied(planned, planned.changes, apply=apply)

    def transfer_pins(self, account: str, *, to: str, apply: bool = False, force: bool = False) -> plans.ChangePlan:
        """Plan to copy the groups of Desktop's sidebar to another account; `apply=True` acts."""
        found = [desktop_marks.read_desktop_marks(store) for store in browser_stores(self.stores())]
        with self.catalogue() as database:
            emails = self._emails(database)
        marks = {one.path: one for one in found}
        wish = pinning.PinOptions(account, to, self._desktops(), marks, self._journal, emails, force)
        planned = pinning.plan_pins(wish)
        return self._applied(planned, planned, apply=apply)

    def _of_project(self, database: Connection, project: str | None) -> list[str]:
        names = [one.id for one in query.sessions(database, SessionFilter(project=project), None)]
        if not names:
            raise NotFoundError("no session belongs to this project", project)
        return names

    def _refuse_stores(self, output: Path) -> None:
        place = output.absolute().parent.resolve()
        for store in self.stores():
            if place.is_relative_to(Path(store.path).resolve()):
                raise RefusedError("this is a directory of Claude's", str(output), "Choose a place outside of it.")


def _opened(place: Path, phrase: str | None) -> BinaryIO:
    """Open a bundle, decrypted if it is sealed."""
    try:
        file = open_readonly(place)
        if file.read(len(secret.MAGIC)) != secret.MAGIC:
            file.seek(0)
            return file
        file.seek(0)
        with file:
            data = file.read(_LARGEST_SEALED)
    except OSError as error:
        raise UnreadableError(f"the bundle cannot be read: {reason_at_named(error)}", str(place)) from error
    if phrase is None:
        raise RefusedError("this bundle is encrypted", str(place), "Name the passphrase: --passphrase-file FILE.")
    return BytesIO(secret.decrypt(data, phrase, str(place)))
