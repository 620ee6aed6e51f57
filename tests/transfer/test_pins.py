"""`transfer pins`: groups and their order go to another account; pins of browser storage are listed."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from command import said
from leveldb_make import Files, keyval_store, local_storage
from make import ACCOUNT, CODE_ROWS, desktop_file, fingerprint, row
from two_accounts import ANNS, BEN, BENS, SYSTEMS, aged, app_id, reasons, statuses, transfer, two_accounts

SYSTEM = "linux"
KEY = "dframe-group-scopes"
GROUPS = {
    "groups": [{"id": "cg-1", "name": "Shop"}, {"id": "cg-2", "name": "Later"}],
    "assignments": {f"code:local_{app_id(1)}": "cg-1", f"code:local_{app_id(2)}": "cg-2"},
    "order": ["cg-2", "cg-1"],
}


def settings_of(scopes: Any) -> dict[str, Any]:
    """Return the settings of a Desktop that has groups."""
    return {"mcpServers": {"x": {"env": {"KEY": "1"}}}, "preferences": {"epitaxyPrefs": {KEY: scopes, "other": 1}}}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a home in which Ann has groups, and Ben a row of one of her sessions."""
    directory = two_accounts(tmp_path / "user", SYSTEM)
    row(directory, app_id(1), owner=BENS, at=f"{SYSTEMS[SYSTEM]}/{CODE_ROWS}")
    desktop_file(directory, "claude_desktop_config.json", settings_of({ANNS: GROUPS}), SYSTEMS[SYSTEM])
    return aged(directory)


def scopes_in(root: Path) -> Any:
    """Return the groups in the settings of a home."""
    settings = json.loads((root / SYSTEMS[SYSTEM] / "claude_desktop_config.json").read_bytes())
    return settings["preferences"]["epitaxyPrefs"][KEY]


def test_groups_and_order_are_copied(root: Path) -> None:
    """Ben gets Ann's groups and order, with the sessions that he has; everything else stays, and undo restores it."""
    before = fingerprint(root)

    code, done = transfer(root, "pins", ACCOUNT[:8], "--to", BEN, "--apply")

    scopes = scopes_in(root)
    assert (0, True) == (code, done["applied"])
    assert GROUPS == scopes[ANNS]
    assert {f"code:local_{app_id(1)}": "cg-1"} == scopes[BENS]["assignments"]
    assert (GROUPS["groups"], GROUPS["order"]) == (scopes[BENS]["groups"], scopes[BENS]["order"])
    assert "the account has no row of it" in reasons(done)
    assert {"same", "skipped"} == {status for _, status in statuses(transfer(root, "pins", ANNS, "--to", BEN)[1])}
    said("--root", root, "transfer", "undo")
    assert before == fingerprint(root)


@pytest.mark.parametrize("wrapped", ["text", "state", "customGroupsByScope"])
def test_other_shapes(root: Path, wrapped: str) -> None:
    """Groups that stand inside a text or a wrapper are found and written there."""
    inner: Any = {ANNS: GROUPS}
    held = json.dumps(inner) if wrapped == "text" else {wrapped: inner, "version": 1}
    desktop_file(root, "claude_desktop_config.json", settings_of(held), SYSTEMS[SYSTEM])
    aged(root)

    assert 0 == transfer(root, "pins", ANNS, "--to", BEN, "--apply")[0]

    found = scopes_in(root)
    assert BENS in (json.loads(found) if wrapped == "text" else found[wrapped])


def test_pins_of_browser_storage_are_listed(root: Path) -> None:
    """A pin that only browser storage has is named with the reason, and the storage is not touched."""
    pins = json.dumps({"state": {"starredIds": [f"local_{app_id(2)}"]}, "updatedAt": 1_777_000_100_000})
    files = local_storage({"dframe-store": "{}"}) | keyval_store({"store:pin-state:dframe-starred-code": pins})
    Files(files).write(root / SYSTEMS[SYSTEM])
    aged(root)
    storage = fingerprint(root / SYSTEMS[SYSTEM] / "IndexedDB")

    code, done = transfer(root, "pins", ANNS, "--to", BEN, "--apply")

    named = [step for step in done["plan"] if app_id(2) in (step["from"] or "") and "pinned" in step["why"]]
    assert (0, 1) == (code, len(named))
    assert "browser storage" in named[0]["why"]
    assert storage == fingerprint(root / SYSTEMS[SYSTEM] / "IndexedDB")


def test_bad_input(root: Path) -> None:
    """An unknown account is 4, the same account 2, damaged or fresh settings 4."""
    settings = root / SYSTEMS[SYSTEM] / "claude_desktop_config.json"

    assert 4 == transfer(root, "pins", "ffffffff", "--to", BEN)[0]
    assert 4 == transfer(root, "pins", ANNS, "--to", "nobody@example.com")[0]
    assert 2 == transfer(root, "pins", ANNS, "--to", ANNS)[0]
    os.utime(settings)
    assert 4 == transfer(root, "pins", ANNS, "--to", BEN, "--apply", "--force")[0]
    settings.write_bytes(b"{")
    assert 4 == transfer(root, "pins", ANNS, "--to", BEN)[0]


def test_an_account_without_groups(root: Path) -> None:
    """Nothing to copy is no error."""
    (root / SYSTEMS[SYSTEM] / "claude_desktop_config.json").unlink()

    code, answer = transfer(root, "pins", ANNS, "--to", BEN, "--apply")

    assert (0, [("keep", "same")]) == (code, statuses(answer))
