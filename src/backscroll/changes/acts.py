"""Acts: the small, reversible changes that steps consist of.  The journal has each before it happens.

mkdir    a directory that was missing
create   a new file: written under a temporary name, synced, then linked to its unused name
replace  a new file in place of a file with known bytes; the journal keeps the old one
remove   a file that is kept in the journal
move     a second name for a file, then the first name is removed; no bytes are copied
rename   a directory with its contents, to an unused name on the same disk
link     a symbolic link
"""

import errno
import hashlib
import os
import stat
from contextlib import suppress
from pathlib import Path

from backscroll.changes.journal import Journal, Note
from backscroll.changes.places import parent_held, sync_directory
from backscroll.changes.plan import APPEND, LINK, MOVE, REMOVE, PlanStep, digest_at, open_content, root_of
from backscroll.errors import RefusedError
from backscroll.files import CREATE

_PIECE = 1 << 20


class Actor:
    """Carries out the steps of one journal."""

    def __init__(self, journal: Journal, roots: list[Path]) -> None:
        self._journal = journal
        self._roots = roots
        self._number = 0
        self._timed: set[str] = set()

    def take(self, step: PlanStep) -> None:
        """Carry out one step; on OSError or RefusedError the journal has the acts that were begun."""
        if step.target is None:
            raise RefusedError("a step has no place")
        self._make_parents(step.target)
        if step.action == REMOVE:
            self._remove(step.target)
        elif step.action == LINK:
            self._link(step.source or "", step.target)
        elif step.action == MOVE:
            self._move(step.source or "", step.target)
        elif step.replaces is not None:
            self._replace(step, step.target, step.replaces)
        else:
            self._create(step, step.target)

    def note_times(self) -> None:
        """Note the times of all changed directories, so that undo notices later changes by others."""
        after = {}
        for path in sorted(self._timed):
            with suppress(FileNotFoundError):  # a directory that moved has its own act
                after[path] = os.lstat(path).st_mtime_ns
        self._journal.add({"after": after})

    def _noted(self, act: str, path: str, **facts: object) -> int:
        self._note_directory(str(Path(path).parent))
        self._number += 1
        self._journal.add({"act": act, "n": self._number, "path": path, **facts})
        return self._number

    def _note_directory(self, path: str) -> None:
        if path not in self._timed:
            self._journal.add({"directory": path, "mtime": os.lstat(path).st_mtime_ns})
            self._timed.add(path)

    def _place(self, path: str) -> tuple[Path, tuple[str, ...]]:
        return place_below(path, self._roots)

    def _make_parents(self, target: str) -> None:
        root, parts = self._place(target)
        for count in range(1, len(parts)):
            path = str(root.joinpath(*parts[:count]))
            if not os.path.lexists(path):
                self._noted("mkdir", path)
                with parent_held(root, parts[:count]) as held:
                    os.mkdir(parts[count - 1], 0o700, dir_fd=held)
                    sync_directory(held)

    def _create(self, step: PlanStep, target: str) -> None:
        root, parts = self._place(target)
        number = self._noted("create", target)
        with parent_held(root, parts) as held:
            temporary = temporary_name(self._journal.id, number)
            self._write(step, temporary, held, target, number)
            os.link(temporary, parts[-1], src_dir_fd=held, dst_dir_fd=held, follow_symlinks=False)
            os.unlink(temporary, dir_fd=held)
            sync_directory(held)

    def _replace(self, step: PlanStep, target: str, before: str) -> None:
        root, parts = self._place(target)
        number = self._keep("replace", target)
        if digest_at(str(self._journal.kept(number))) != before:
            raise RefusedError("the file changed since the plan was made", target)
        with parent_held(root, parts) as held:
            temporary = temporary_name(self._journal.id, number)
            mode = stat.S_IMODE(os.stat(parts[-1], dir_fd=held, follow_symlinks=False).st_mode)
            self._write(step, temporary, held, target, number, mode)
            if digest_at(target) != before:
                raise RefusedError("the file changed since the plan was made", target)
            os.replace(temporary, parts[-1], src_dir_fd=held, dst_dir_fd=held)
            sync_directory(held)

    def _remove(self, target: str) -> None:
        root, parts = self._place(target)
        number = self._keep("remove", target)
        if digest_at(target) != digest_at(str(self._journal.kept(number))):
            raise RefusedError("the file changed while it was kept", target)
        with parent_held(root, parts) as held:
            os.unlink(parts[-1], dir_fd=held)
            sync_directory(held)

    def _link(self, text: str, target: str) -> None:
        root, parts = self._place(target)
        self._noted("link", target, text=text)
        with parent_held(root, parts) as held:
            os.symlink(text, parts[-1], dir_fd=held)
            sync_directory(held)

    def _move(self, source: str, target: str) -> None:
        (root, parts), (other, names) = self._place(target), self._place(source)
        status = os.lstat(source)
        if stat.S_ISDIR(status.st_mode):
            self._rename(source, target)
            return
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "not a regular file", source)
        if status.st_dev != os.lstat(Path(target).parent).st_dev:
            self._create(PlanStep("copy", source, target), target)
            self._remove(source)
            return
        self._note_directory(str(Path(source).parent))
        facts = {"inode": status.st_ino, "size": status.st_size, "mtime": status.st_mtime_ns}
        self._noted("move", target, source=source, **facts)
        with parent_held(root, parts) as held, parent_held(other, names) as old:
            os.link(names[-1], parts[-1], src_dir_fd=old, dst_dir_fd=held, follow_symlinks=False)
            os.unlink(names[-1], dir_fd=old)
            sync_directory(held)
            sync_directory(old)

    def _rename(self, source: str, target: str) -> None:
        """Move a directory; undo compares its listing to notice later use."""
        (root, parts), (other, names) = self._place(target), self._place(source)
        self._note_directory(str(Path(source).parent))
        facts = {"inode": os.lstat(source).st_ino, "listing": listing_of(source)}
        self._noted("rename", target, source=source, **facts)
        with parent_held(root, parts) as held, parent_held(other, names) as old:
            if os.path.lexists(target):
                raise OSError(errno.EEXIST, "something else is in its place already", target)
            os.rename(names[-1], parts[-1], src_dir_fd=old, dst_dir_fd=held)
            sync_directory(held)
            sync_directory(old)

    def _keep(self, act: str, path: str) -> int:
        """Note an act, and copy the current file into the journal before its removal."""
        status = os.lstat(path)
        facts = {"mode": stat.S_IMODE(status.st_mode), "mtime": status.st_mtime_ns}
        number = self._noted(act, path, digest=digest_at(path), **facts)
        kept = PlanStep("copy", path, None)
        descriptor = os.open(self._journal.kept(number), CREATE, 0o600)
        _fill(descriptor, kept, None)
        return number

    def _write(  # noqa: PLR0913, PLR0917 - the place of one file
        self, step: PlanStep, temporary: str, held: int, target: str, number: int, mode: int = 0o600
    ) -> None:
        """Write the content of a step under a temporary name, and note the identity of that file."""
        descriptor = os.open(temporary, CREATE, 0o600, dir_fd=held)
        digest = _fill(descriptor, step, target if step.action == APPEND else None)
        if step.digest not in (None, digest):
            raise RefusedError("the content changed since the plan was made", target)
        if mode != 0o600:
            os.chmod(temporary, mode, dir_fd=held)
        status = os.stat(temporary, dir_fd=held, follow_symlinks=False)
        facts = {"inode": status.st_ino, "size": status.st_size, "mtime": status.st_mtime_ns}
        self._journal.add({"written": target, "for": number, "digest": digest, **facts})


def _fill(descriptor: int, step: PlanStep, first: str | None) -> str:
    """Write the content of a step, after the bytes of `first` if given, sync it, and return its SHA-256."""
    digest = hashlib.sha256()
    try:
        sources = [step] if first is None else [PlanStep("copy", first, None), step]
        for source in sources:
            with open_content(source) as file:
                while piece := file.read(_PIECE):
                    digest.update(piece)
                    rest = memoryview(piece)
                    while rest:
                        rest = rest[os.write(descriptor, rest) :]
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    return digest.hexdigest()


def place_below(path: str, roots: list[Path]) -> tuple[Path, tuple[str, ...]]:
    """Return root and names of a place; refuse one outside all roots."""
    place = root_of(path, roots)
    if place is None:
        raise RefusedError("refused to change anything outside the directories of this command", path)
    return place


def temporary_name(journal: str, number: int) -> str:
    """Return the name of an incomplete file."""
    return f".backscroll-{journal}-{number}.tmp"


def revert(journal: Journal, note: Note, written: Note | None, roots: list[Path]) -> str | None:
    """Revert one act if its result is still as we left it; else return the reason why it stays."""
    path, number = str(note["path"]), int(note["n"])
    root, parts = place_below(path, roots)
    try:
        with parent_held(root, parts) as held:
            with suppress(FileNotFoundError):
                os.unlink(temporary_name(journal.id, number), dir_fd=held)
            name = parts[-1]
            match note["act"]:
                case "mkdir":
                    why = _revert_mkdir(name, held)
                case "link":
                    why = _revert_link(path, str(note["text"]), name, held)
                case "move":
                    why = _revert_move(note, path, name, held, roots)
                case "rename":
                    why = _revert_rename(note, path, name, held, roots)
                case "create":
                    why = _revert_create(path, written, name, held)
                case _:
                    why = _revert_change(journal, note, written, name, held)
    except FileNotFoundError:
        return None if note["act"] in ("mkdir", "create", "link") else "its directory is gone"
    return why


def _revert_mkdir(name: str, held: int) -> str | None:
    try:
        os.rmdir(name, dir_fd=held)
    except FileNotFoundError:
        return None
    except OSError:
        return "the directory holds other files"
    return None


def _revert_link(path: str, text: str, name: str, held: int) -> str | None:
    if not os.path.lexists(path):
        return None
    if not Path(path).is_symlink() or str(Path(path).readlink()) != text:
        return "it was changed since"
    os.unlink(name, dir_fd=held)
    return None


def _revert_create(path: str, written: Note | None, name: str, held: int) -> str | None:
    if written is None or not os.path.lexists(path):
        return None
    status = os.lstat(path)
    if (
        not stat.S_ISREG(status.st_mode)
        or status.st_mtime_ns != written["mtime"]
        or digest_at(path) != written["digest"]
    ):
        return "it was used since"
    os.unlink(name, dir_fd=held)
    return None


def _revert_move(note: Note, path: str, name: str, held: int, roots: list[Path]) -> str | None:
    source = str(note["source"])
    if not os.path.lexists(path):
        return None if os.path.lexists(source) else "the file is gone"
    status = os.lstat(path)
    if status.st_ino != note["inode"]:
        return None if os.path.lexists(source) else "it was replaced since"
    if (status.st_size, status.st_mtime_ns) != (note["size"], note["mtime"]):
        return "it was used since"
    root, names = place_below(source, roots)
    with parent_held(root, names) as old:
        if not os.path.lexists(source):
            os.link(name, names[-1], src_dir_fd=held, dst_dir_fd=old, follow_symlinks=False)
        elif os.lstat(source).st_ino != note["inode"]:
            return "something else is in its old place"
        os.unlink(name, dir_fd=held)
    return None


def _revert_rename(note: Note, path: str, name: str, held: int, roots: list[Path]) -> str | None:
    source = str(note["source"])
    if not os.path.lexists(path) or os.lstat(path).st_ino != note["inode"]:
        return None if os.path.lexists(source) else "the directory is gone"
    if os.path.lexists(source):
        return "something else is in its old place"
    if listing_of(path) != note["listing"]:
        return "it was used since"
    root, names = place_below(source, roots)
    with parent_held(root, names) as old:
        os.rename(name, names[-1], src_dir_fd=held, dst_dir_fd=old)
        sync_directory(held)
        sync_directory(old)
    return None


def listing_of(directory: str) -> str:
    """Return a digest of the names, sizes and times of everything below a directory."""
    digest = hashlib.sha256()
    for parent, folders, files in os.walk(directory):
        folders.sort()
        for name in (*folders, *sorted(files)):
            path = f"{parent}/{name}"
            status = os.lstat(path)
            size = 0 if stat.S_ISDIR(status.st_mode) else status.st_size
            facts = f"{path[len(directory) :]}\0{status.st_ino}\0{size}\0{status.st_mtime_ns}\n"
            digest.update(facts.encode("utf-8", "surrogateescape"))
    return digest.hexdigest()


def _revert_change(journal: Journal, note: Note, written: Note | None, name: str, held: int) -> str | None:
    """Put back a file that was removed or replaced."""
    path, kept = str(note["path"]), journal.kept(int(note["n"]))
    is_there = os.path.lexists(path)
    if is_there and digest_at(path) == note["digest"]:
        return None  # it was never removed, or is already restored
    if note["act"] == "remove" and is_there:
        return "something else is in its place"
    if note["act"] == "replace" and (not is_there or written is None or digest_at(path) != written["digest"]):
        return "it was used since"
    if digest_at(str(kept)) != note["digest"]:
        return "the kept file is damaged"
    temporary = temporary_name(journal.id, int(note["n"]))
    _fill(os.open(temporary, CREATE, 0o600, dir_fd=held), PlanStep("copy", str(kept), None), None)
    os.chmod(temporary, int(note["mode"]), dir_fd=held)
    os.utime(temporary, ns=(int(note["mtime"]), int(note["mtime"])), dir_fd=held)
    if is_there:
        os.replace(temporary, name, src_dir_fd=held, dst_dir_fd=held)
    else:
        os.link(temporary, name, src_dir_fd=held, dst_dir_fd=held, follow_symlinks=False)
        os.unlink(temporary, dir_fd=held)
    sync_directory(held)
    return None
