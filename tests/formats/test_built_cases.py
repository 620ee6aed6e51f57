"""The cases A and C of the shared hostile corpus, at the level of lines: every marker in exactly one record."""

import importlib.util
import io
from pathlib import Path
from types import ModuleType

import msgspec
import orjson
import pytest
from formats.lines import obey, raws

from backscroll.formats.json.lines import scan
from backscroll.formats.json.streams import open_stream
from backscroll.records import Damage, Record

SCRIPT = Path(__file__).parents[3] / "shared" / "hostile" / "hostile_corpus.py"
DECODERS = {
    "orjson": orjson.loads,
    "typed": msgspec.json.Decoder(msgspec.defstruct("Head", [("type", str | None, None)])).decode,
}

pytestmark = pytest.mark.skipif(not SCRIPT.exists(), reason="needs ../shared/hostile, not beside this repository")


def load() -> ModuleType | None:
    """Import the script that builds the cases, where it is at hand."""
    if not SCRIPT.exists():
        return None
    spec = importlib.util.spec_from_file_location("hostile_cases", SCRIPT)

    assert spec is not None
    assert spec.loader is not None

    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


CORPUS = load()
NAMES = [name for name in (CORPUS.CASES if CORPUS else {}) if name[0] in "AC"]
CASES = [pytest.param(name, marks=pytest.mark.slow) if name in {"C01", "C02", "C03", "C06"} else name for name in NAMES]


@pytest.mark.parametrize("decoder", DECODERS)
@pytest.mark.parametrize("name", CASES)
def test_every_marker_is_in_one_record(name: str, decoder: str) -> None:
    """Intact and salvageable records are all there, once each, and every byte of the file is accounted for."""
    assert CORPUS is not None
    data, valid, salvageable = CORPUS.CASES[name][2]()
    with open_stream(io.BytesIO(data)) as stream:
        account = scan(stream.file, "s.jsonl", DECODERS[decoder])
        items = list(account)
        stream.file.seek(0)
        obey(stream.file.read(), account, items)
    texts = raws(items)
    counts = {marker: sum(marker.encode() in text for text in texts) for marker in valid + salvageable}

    assert dict.fromkeys(counts, 1) == counts
    assert len(texts) == len({(item.offset, item.line) for item in items if isinstance(item, Record)})
    assert len([item for item in items if isinstance(item, Damage)]) < 10
    orjson.dumps([item.value for item in items if isinstance(item, Record) and isinstance(item.value, dict)])
