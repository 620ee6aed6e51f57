"""Images of a transcript: shown by their bytes, later when they come into view; everything else is a download."""

import base64
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from chromium import needs_chromium
from make import assistant, call, given, home, line, user
from playwright.sync_api import expect
from web.conftest import Site, Visit

STEM = "66666666-7777-4888-8999-000000000000"
SVG = b"<svg xmlns='http://www.w3.org/2000/svg'><script>fetch('/api/list')</script></svg>"


def png(red: int) -> bytes:
    """Return a picture of 40 x 30 pixels, with a comment in it."""
    pixels = (b"\0" + bytes([red, 90, 120]) * 40) * 30
    chunks = {b"IHDR": struct.pack(">IIBBBBB", 40, 30, 8, 2, 0, 0, 0), b"tEXt": b"Comment\0at home"}
    chunks |= {b"IDAT": zlib.compress(pixels), b"IEND": b""}
    packed = (
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in chunks.items()
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(packed)


def media(kind: str, claimed: str, data: bytes) -> dict[str, object]:
    """Return the part of a message that holds an image or a document."""
    source = {"type": "base64", "media_type": claimed, "data": base64.b64encode(data).decode()}
    return {"type": kind, "source": source}


@pytest.fixture(scope="module")
def site(site: Site) -> Iterator[Site]:
    """Add a session with images to the demo home: in a prompt, in a result, and some that are none."""
    prompt = [
        media("image", "image/jpeg", png(200)),
        media("image", "image/png", SVG),
        media("document", "text/html", SVG),
    ]
    records = [
        user("u1", None, [{"type": "text", "text": "Look"}, *prompt]),
        assistant("a1", "u1", [call("toolu_look_look_look_1", "Read", file_path="/x/shot.png")]),
        user("r1", "a1", [given("toolu_look_look_look_1", [media("image", "image/png", png(90))])]),
        assistant("a2", "r1", "I see."),
    ]
    file = home(site.root) / f".claude/projects/-home-ann-images/{STEM}.jsonl"
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(b"".join(line({**one, "sessionId": STEM, "cwd": "/home/ann/images"}) for one in records))
    yield site
    file.unlink()  # other modules use the same home


def answer(site: Site, message: str, number: int, **headers: str) -> tuple[int, dict[str, str], bytes]:
    """Ask for an image of a message."""
    path = f"/api/show/{STEM}?at={message}&image={number}"
    return site.ask(path, "GET", None, **(headers or {"Authorization": f"Bearer {site.token}"}))


def test_bytes_decide_about_an_image(site: Site) -> None:
    """A PNG that claims to be a JPEG comes as PNG without its comment; a script that claims to be one as bytes."""
    status, headers, data = answer(site, "u1", 1)
    assert (status, headers["content-type"]) == (200, "image/png")
    assert data.startswith(b"\x89PNG")
    assert b"at home" not in data
    for number in (2, 3):
        status, headers, data = answer(site, "u1", number)
        assert (status, headers["content-type"], data) == (200, "application/octet-stream", SVG)
        assert headers["content-disposition"].startswith("attachment")
        assert headers["x-content-type-options"] == "nosniff"
    assert answer(site, "r1", 1)[1]["content-type"] == "image/png"
    assert answer(site, "u1", 4)[0] == answer(site, "a2", 1)[0] == 404


def test_images_need_the_token_and_our_own_page(site: Site) -> None:
    """Nobody else loads one: not without the token, and not from another site or port."""
    token = f"Bearer {site.token}"
    assert answer(site, "u1", 1, Accept="image/*")[0] == 401
    for place in ("cross-site", "same-site"):
        assert answer(site, "u1", 1, Authorization=token, Sec_Fetch_Site=place)[0] == 403
    assert answer(site, "u1", 1)[1]["cross-origin-resource-policy"] == "same-origin"


@pytest.mark.slow
@needs_chromium
def test_the_reader_shows_images(visit: Visit, site: Site) -> None:
    """Images of prompts and of results are seen, each asked for when it comes near; the others are links."""
    page = visit.open(f"/sessions/{STEM}", "article img")
    page.locator("details.call summary").first.click()
    expect(page.locator("article img")).to_have_count(2)
    for image in page.locator("article img").all():
        image.scroll_into_view_if_needed()
        assert image.get_attribute("loading") == "lazy"
        assert "image image/" in (image.get_attribute("alt") or "")
        image.evaluate("one => one.decode()")
        assert image.evaluate("one => [one.naturalWidth, one.naturalHeight]") == [40, 30]
    with page.expect_download() as download:
        page.get_by_role("link", name="[document text/html").click()
    assert Path(download.value.path()).read_bytes() == SVG
