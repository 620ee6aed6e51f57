"""Secrets of every family in every place of a session: no form of `share` lets one out, and none is refused."""

import json
from pathlib import Path
from random import Random

import pytest
from command import said
from make import UUID, assistant, call, given, home, user, write_transcript
from redact.generate import CONTAINERS, Planted, planted, reveals

SEED = 2100
CWD = "/home/marguerite/shop"

pytestmark = pytest.mark.slow


def records(secrets: list[Planted]) -> list[dict[str, object]]:
    """Return a session with each secret in a prompt, thinking, a call, a path, a diff and a result."""
    random = Random(SEED)  # noqa: S311 - fake secrets are meant to repeat
    found: list[dict[str, object]] = []
    last: str | None = None
    for number, one in enumerate(secrets):
        texts = ["\n".join(contain(one, random)) for contain in CONTAINERS.values()]
        names = [f"{kind}{number}" for kind in "uar"]
        path = f"{CWD}/{texts[0]}"
        parts = [
            {"type": "thinking", "thinking": texts[1]},
            call(f"toolu_{number}a", "Bash", command=texts[2]),
            call(f"toolu_{number}b", "Edit", file_path=path, old_string=texts[3], new_string=texts[4]),
        ]
        results = [given(f"toolu_{number}a", texts[5]), given(f"toolu_{number}b", texts[6])]
        prompt = [{"type": "text", "text": part} for part in CONTAINERS["two parts"](one, random)]
        found += [
            user(names[0], last, prompt, cwd=CWD),
            assistant(names[1], names[0], parts),
            user(names[2], names[1], results),
        ]
        last = names[2]
    title = f"Deploy with {secrets[0].text}"
    return [*found, {"type": "custom-title", "customTitle": title}]


@pytest.fixture(scope="module")
def secrets() -> list[Planted]:
    """Return a secret of each family."""
    return list(planted(SEED, 1))


@pytest.mark.parametrize("form", ["html", "md", "json"])
def test_no_place_lets_a_secret_out(tmp_path: Path, secrets: list[Planted], form: str) -> None:
    """The document is written, so the last scan found nothing; and no secret can be read in it."""
    lines = [json.dumps(one | {"sessionId": UUID}).encode() + b"\n" for one in records(secrets)]
    write_transcript(home(tmp_path), "-home-marguerite-shop", UUID, lines)
    target = tmp_path / f"out.{form}"
    code, _, err = said("--root", tmp_path, "share", UUID, "-o", target, "--thinking", "--agents", "--outputs")

    assert 0 == code, err
    text = target.read_text()
    assert [] == [one.family for one in secrets if reveals([text], one.value)]
    assert "marguerite" not in text
