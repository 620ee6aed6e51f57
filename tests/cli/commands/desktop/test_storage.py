"""`storage` as a command."""

import json
from pathlib import Path

from command import said
from leveldb_make import Files, local_storage


def test_a_lone_surrogate_is_told_from_its_escape(tmp_path: Path) -> None:
    """A value with half a surrogate pair and a value that spells its escape differ in JSON, for every parser."""
    Files(local_storage({"half": "a\ud800b", "spelled": "a\\ud800b"})).write(tmp_path / ".config/Claude")
    code, out, _ = said("--root", tmp_path, "--json", "storage")
    records = {record["key"]: record for record in json.loads(out)["records"]}

    assert 0 == code
    assert "0061d8000062" == records["half"]["value_utf16"]
    assert "value_utf16" not in records["spelled"]
    assert "a\\ud800b" == records["spelled"]["value"]
