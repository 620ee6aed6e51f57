"""The built page: the bytes that its sources give, small, with its licences."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from web.conftest import Site

SOURCES = Path(__file__).parents[2] / "web-page"
STATIC = Path(__file__).parents[2] / "src/backscroll/web/static"
NODE = shutil.which("node")


def packed(site: Site, names: list[str]) -> int:
    """Return the bytes that the server sends for some files."""
    return sum(len(site.ask(name, Accept_Encoding="gzip")[2]) for name in names)


@pytest.mark.slow
@pytest.mark.skipif(
    NODE is None or not (SOURCES / "node_modules").is_dir(),
    reason="needs node and the packages of web-page: `make web`",
)
def test_the_sources_give_the_committed_bytes(tmp_path: Path) -> None:
    """A new build, elsewhere, has the same files with the same bytes."""
    assert NODE is not None
    subprocess.run([NODE, "build.mjs", str(tmp_path)], cwd=SOURCES, check=True, env={"PATH": os.environ["PATH"]})
    assert {one.name: one.read_bytes() for one in tmp_path.iterdir()} == {
        one.name: one.read_bytes() for one in STATIC.iterdir()
    }
    subprocess.run(
        [NODE, "node_modules/typescript/bin/tsc", "--noEmit"], cwd=SOURCES, check=True, env={"PATH": os.environ["PATH"]}
    )


def test_the_first_load_is_small(site: Site) -> None:
    """The page, its style and its script are at most 60 KB as sent, 120 KB with the charts."""
    html = site.ask("/")[2].decode()
    first = ["/", "/static/messages.css", "/static/app.css", "/static/app.js"]
    assert all(name in html for name in first[1:])
    script = (STATIC / "app.js").read_text()
    parts = [one.name for one in STATIC.glob("part-*.js")]
    shared = [f"/static/{name}" for name in parts if f'from"./{name}"' in script]
    assert packed(site, first + shared) <= 60_000
    assert packed(site, [*first, *(f"/static/{name}" for name in parts)]) <= 120_000


def test_the_page_holds_nothing_inline_and_nothing_foreign() -> None:
    """The page has no inline script or style and names no other host; the licences of its parts are beside it."""
    html = (STATIC / "page.html").read_text()
    assert "style=" not in html
    assert "<style" not in html
    assert html.count("<script") == html.count('<script type="module" src="/static/app.js">') == 1
    assert "http" not in html
    licences = (STATIC / "LICENSES.txt").read_text()
    assert all(f"{name} " in licences for name in ("preact", "uplot", "virtua"))
    assert licences.count("MIT") >= 2
