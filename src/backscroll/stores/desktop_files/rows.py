"""Rows: Claude Desktop's record of a session, whether of the Code tab or of Cowork.

Input: the path of a `local_*.json`, of an incomplete `.tmp`, of a tombstone or of the list of cloud sessions.
Output: one plain `Row` of text, flags and lists for each session, as docs/json.md describes it.  A damaged row
returns the fields before the damage, and the reason.  Permissions, prompts and connections of a row leave this module
only through `read_fields`.
docs/formats.md, "Desktop rows" and "Cowork".
"""

import json
import os
import re
from typing import TYPE_CHECKING, Any

from backscroll.files import open_readonly, reason_of
from backscroll.stores.base import Opener
from backscroll.times import iso, parse

if TYPE_CHECKING:
    from backscroll.stores.desktop_files.page_cache import CachedSession

Row = dict[str, Any]
Fields = dict[str, Any]

PAGE, PAGE_LIST = "page", "page-list"
"""The products of rows from page caches: a cached transcript, and an entry of the server's list."""
LARGEST = 10 << 20
"""Desktop ignores a row that is larger."""
_HEAD = 1 << 20
"""The length of the part of a large or damaged row that we search for its first fields."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,127}")
_FIRST_YEAR = 2020

_COWORK_FIELDS = (
    "processName",
    "vmProcessName",
    "hostLoopMode",
    "userSelectedFolders",
    "egressAllowedDomains",
    "sessionType",
    "fsDetectedFiles",
    "mcqAnswers",
)
_CODE_FIELDS = ("originCwd", "completedTurns", "worktreePath", "priorCliSessionIds", "permissionMode", "cwd")

_BLANK = re.compile(r"[ \t\r\n]*")


def read_row(path: str, open_file: Opener = open_readonly) -> tuple[Row, dict[str, str]]:
    """Return the readable fields of a row, and the e-mail address and name of its account if the row has them.

    `damage` of the row is the reason why the rest is unreadable.
    """
    fields, damage = read_fields(path, open_file)
    product = _product(fields, path, is_whole=damage is None)
    if damage is None and not isinstance(fields.get("sessionId"), str):
        damage = "no sessionId: Claude Desktop would not load it"
    row = _row(fields, os.path.basename(path).removesuffix(".tmp").removesuffix(".json"), product)
    row |= {"path": path, "damage": damage, "temporary": path.endswith(".tmp")}
    row["account"], row["organization"] = owners_of(path)
    person = {"email": fields.get("emailAddress"), "name": fields.get("accountName")}
    return row, {key: value for key, value in person.items() if isinstance(value, str) and value}


def read_tombstone(path: str, name: str) -> Row:
    """Return the deleted id and the time of a tombstone."""
    try:
        with open_readonly(path) as file:
            text = file.read(32).decode("ascii", "replace").strip()
    except OSError:
        text = ""
    row = _row({}, f"local_{name}", "tombstone")
    row |= {"path": path, "deleted": _moment(int(text)) if text.isdecimal() else None, "lineage": [name]}
    row["account"], row["organization"] = owners_of(path)
    return row


def read_cloud(path: str) -> tuple[list[Row], str | None]:
    """Return a row for each session in a list of cloud sessions, and the damage of the list."""
    fields, damage = read_fields(path)
    entries = fields.get("entries")
    found = []
    for entry in entries if isinstance(entries, list) else ():
        name = entry.get("sessionId") if isinstance(entry, dict) else None
        if isinstance(name, str) and _NAME.fullmatch(name):
            row = _row({**entry, "cloudSessionId": name, "userSelectedFolders": entry.get("folders")}, name, "cloud")
            row |= {"path": f"{path}#{name}", "names": [_in_one_spelling(name)]}
            row["account"], row["organization"] = owners_of(path)
            found.append(row)
    return found, damage


def read_cached(path: str, session: "CachedSession") -> Row:
    """Return a row for a session that a page of Desktop cached; `path` is the data directory of that Desktop."""
    fields: Fields = {"title": session.title, "createdAt": session.created, "lastActivityAt": session.active}
    if session.records is None:
        row = _row({**fields, "cloudSessionId": session.id}, session.id, PAGE_LIST)
        row["names"] = [_in_one_spelling(session.id)]
    else:
        row = _row(fields, session.id, PAGE)
    row["path"] = f"{path}#{session.key}" if session.records is not None else f"{path}#{session.key}#{session.id}"
    return row


def _in_one_spelling(name: str) -> str:
    """Return the id of a cloud session in one form: for Desktop `cse_x` and `session_x` are the same."""
    return "session_" + name.removeprefix("cse_") if name.startswith("cse_") else name


def owners_of(path: str) -> tuple[str | None, str | None]:
    """Return account and organization from the path of a row; either may be shortened to eight digits."""
    parts = path.replace("\\", "/").split("/")
    for name in ("claude-code-sessions", "local-agent-mode-sessions"):
        if name in parts:
            below = parts[len(parts) - parts[::-1].index(name) : -1]
            return (below[0] if below else None), (below[1] if len(below) > 1 else None)
    return None, None


def session_directories(path: str) -> list[str]:
    """Return the possible directories of a row's Cowork files: beside the row, under its long or its short name."""
    stem = path.removesuffix(".tmp").removesuffix(".json")
    return [stem, os.path.join(os.path.dirname(stem), os.path.basename(stem).removeprefix("local_")[:8])]


def read_fields(path: str, open_file: Opener = open_readonly) -> tuple[Fields, str | None]:
    """Return all fields of a row, or the fields before the damage and its reason."""
    try:
        with open_file(path) as file:
            data = file.read(LARGEST + 1)
    except OSError as error:
        return {}, reason_of(error)
    if len(data) > LARGEST:
        return _fields_in_front(data[:_HEAD]), f"larger than {LARGEST >> 20} MiB: Claude Desktop ignores it"
    if not data.strip(b"\0 \t\r\n"):
        return {}, "empty" if not data.strip() else f"nothing but {len(data):,} NUL bytes"
    try:
        value = json.loads(data.decode("utf-8-sig", "replace"))
    except (ValueError, RecursionError) as error:
        return _fields_in_front(data[:_HEAD]), f"not JSON: {error}"
    return (_encodable(value), None) if isinstance(value, dict) else ({}, "not a JSON object")


def _encodable(value: Fields) -> Fields:
    """Return a value without lone surrogates, because no database can hold them."""
    text = json.dumps(value, ensure_ascii=False)
    if text.isascii() or not re.search("[\ud800-\udfff]", text):
        return value
    mended: Fields = json.loads(text.encode("utf-16", "surrogatepass").decode("utf-16", "replace"))
    return mended


def _fields_in_front(data: bytes) -> Fields:
    """Return the complete top-level fields before the first unreadable one."""
    text = data.decode("utf-8-sig", "replace").lstrip("\0 \t\r\n")
    decoder = json.JSONDecoder(strict=False)
    fields: Fields = {}
    place = 1 if text.startswith("{") else len(text)
    try:
        while place < len(text):
            name, place = decoder.raw_decode(text, _after_blanks(text, place))
            place = _after_blanks(text, place)
            if not isinstance(name, str) or text[place : place + 1] != ":":
                break
            value, place = decoder.raw_decode(text, _after_blanks(text, place + 1))
            place = _after_blanks(text, place)
            if text[place : place + 1] not in (",", "}"):  # a truncated number or name looks complete
                break
            fields[name] = value
            place += 1
    except (ValueError, RecursionError):
        pass
    return _encodable(fields)


def _after_blanks(text: str, place: int) -> int:
    found = _BLANK.match(text, place)
    return found.end() if found else place


def _product(fields: Fields, path: str, *, is_whole: bool) -> str:
    """Return the product of a row by its fields; if damage leaves no such field, by its path."""
    if any(name in fields for name in _COWORK_FIELDS) or str(fields.get("cwd")).startswith("/sessions/"):
        return "cowork"
    if any(name in fields for name in _CODE_FIELDS) or (is_whole and fields):
        return "code"
    return "cowork" if "local-agent-mode-sessions" in path else "code"


def _row(fields: Fields, stem: str, product: str) -> Row:
    kind = _kind(fields, product)
    return {
        "id": name if isinstance(name := fields.get("sessionId"), str) and _NAME.fullmatch(name) else stem,
        "product": product,
        "kind": kind,
        "held": _remote_place(fields, kind),
        "account": None,
        "organization": None,
        "path": "",
        "title": _text(fields.get("title")),
        "title_source": _text(fields.get("titleSource")),
        "created": _moment(fields.get("createdAt")),
        "active": _moment(fields.get("lastActivityAt")),
        "archived": fields.get("isArchived") is True,
        "deleted": None,
        "model": _text(fields.get("model")),
        "permission_mode": _text(fields.get("permissionMode")),
        "cwd": _text(fields.get("cwd")),
        "origin": _text(fields.get("originCwd")),
        "worktree": _text(fields.get("worktreePath")),
        "branch": _text(fields.get("branch")),
        "folders": _texts(fields.get("userSelectedFolders")),
        "error": _text(fields.get("error")),
        "schedule": _text(fields.get("scheduledTaskId")),
        "lineage": _lineage(fields),
        "names": _other_names(fields),
        "temporary": False,
        "loads": _would_load(fields),
        "damage": None,
        "copies": [],
    }


def _lineage(fields: Fields) -> list[str]:
    """Return every id of this conversation on the command line, the current one first."""
    ids = [fields.get(name) for name in ("cliSessionId", "unarchivedCliSessionId", "preClearCliSessionId")]
    prior = fields.get("priorCliSessionIds")
    ids += reversed(prior) if isinstance(prior, list) else []
    return list(dict.fromkeys(name for name in ids if isinstance(name, str) and _NAME.fullmatch(name)))


def _other_names(fields: Fields) -> list[str]:
    """Return its ids elsewhere: in the cloud, or at the other end of a bridge."""
    bridges = fields.get("bridgeSessionIds")
    ids = [fields.get("cloudSessionId"), *(bridges if isinstance(bridges, list) else ())]
    return [_in_one_spelling(name) for name in ids if isinstance(name, str) and _NAME.fullmatch(name)]


def _kind(fields: Fields, product: str) -> str | None:
    """Return the place where the session ran: local, ssh, wsl, cloud; for Cowork vm or host; None if unknown."""
    if not fields:
        return None
    if product == "cowork":
        if fields.get("hostLoopMode") is True:
            return "host"
        is_named = any(isinstance(fields.get(name), str) for name in ("processName", "vmProcessName"))
        return "vm" if is_named or str(fields.get("cwd")).startswith("/sessions/") else None
    if isinstance(fields.get("sshConfig"), dict) or "sshRemoteTranscriptPath" in fields:
        return "ssh"
    if isinstance(fields.get("wslConfig"), dict):
        return "wsl"
    is_cloud = fields.get("movedToCloud") is True or isinstance(fields.get("cloudSessionId"), str)
    return "cloud" if is_cloud else "local"


def _remote_place(fields: Fields, kind: str | None) -> str | None:
    """Return the place of the transcript, as text, if the session did not run on this machine."""
    if kind == "ssh":
        host = _named(fields.get("sshConfig"), ("host", "hostname", "sshHost", "name"))
        user = _named(fields.get("sshConfig"), ("user", "username", "sshUser"))
        path = _text(fields.get("sshRemoteTranscriptPath"))
        there = f"{user}@{host}" if user and host else host or ""
        return "on the SSH host" + (f" {there}" if there else "") + (f": {path}" if path else "")
    if kind == "wsl":
        distro = _named(fields.get("wslConfig"), ("distro", "distribution", "distroName", "name"))
        return "inside WSL" + (f", in the home directory of {distro}" if distro else "")
    if kind == "cloud":
        name = _text(fields.get("cloudSessionId"))
        return "in Anthropic's cloud" + (f", as {name}" if name else "")
    return None


def _named(value: object, names: tuple[str, ...]) -> str | None:
    found = (value.get(name) for name in names) if isinstance(value, dict) else ()
    return next((text for text in found if isinstance(text, str) and text), None)


def _would_load(fields: Fields) -> bool:
    """Return True if Desktop would load the row: it needs an id and two times."""
    times = (fields.get("createdAt"), fields.get("lastActivityAt"))
    are_numbers = all(isinstance(time, (int, float)) and not isinstance(time, bool) for time in times)
    return are_numbers and isinstance(fields.get("sessionId"), str)


def _moment(value: object) -> str | None:
    moment = parse(value)
    return iso(moment) if moment is not None and moment.year >= _FIRST_YEAR else None


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


def _texts(value: object) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []
