"""`share`: files for other people, without secrets, or no file at all."""

import json
import os
import shutil
import subprocess
from base64 import b64encode
from pathlib import Path

import pytest
from chromium import needs_chromium
from command import said
from formats.test_images import PNG, PNG_WITH_TEXT
from make import UUID, Draft, assistant, bash, call, given, home, user, write_transcript

from backscroll.dirs import home as own_home
from backscroll.redact import Redactor, scan_bytes
from backscroll.redaction import ValueRedactor
from backscroll.share import pdf
from backscroll.share.documents import findings_in_page

KEY = "sk-ant-api03-" + "Zq7Rk2Lp9Xw4" * 6 + "AA"
GITHUB = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
CWD = "/home/marguerite/shop"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a home with secrets in a title, a prompt, an answer, thinking, a call and its result."""
    draft = Draft(UUID, CWD).prompt(f"Use {KEY} please").answer(f"I saw `{GITHUB}`.", thinking=f"secretly {KEY}")
    draft.answer(calls=[bash(f"curl -H 'x-api-key: {KEY}' https://x.test", f"token={GITHUB} at {CWD}/a.py")])
    draft.prompt("Thanks").answer("You are welcome.").write(home(tmp_path))
    return tmp_path


@pytest.mark.parametrize("form", ["html", "md", "json"])
def test_no_secret_goes_out(root: Path, tmp_path: Path, form: str) -> None:
    """Every form has pseudonyms in place of keys, tokens and the home directory."""
    target = tmp_path / f"out.{form}"
    code, _, err = said("--root", root, "share", UUID, "-o", target, "--thinking")
    text = target.read_text()

    assert 0 == code
    assert "⟨" in text
    assert "You are welcome." in text
    assert not any(secret in text + err for secret in (KEY, GITHUB, "marguerite"))
    assert 0o600 == target.stat().st_mode & 0o777


@pytest.mark.parametrize("form", ["html", "md"])
def test_secret_in_the_address_of_a_link(tmp_path: Path, form: str) -> None:
    """Markdown writes a pseudonym in an address as %E2%9F%A8…: the last scan knows it, and the file is written."""
    Draft(UUID, CWD).prompt("Go").answer(f"[here](https://x.test/?token={GITHUB})").write(home(tmp_path))
    code, _, err = said("--root", tmp_path, "share", UUID, "-o", tmp_path / f"out.{form}")

    assert (0, False) == (code, GITHUB in (tmp_path / f"out.{form}").read_text()), err


def test_thinking_stays_out_unless_it_is_asked_for(root: Path, tmp_path: Path) -> None:
    """Only --thinking shares it."""
    said("--root", root, "share", UUID, "-o", tmp_path / "without.md")
    said("--root", root, "share", UUID, "-o", tmp_path / "with.md", "--thinking")

    assert "secretly" not in (tmp_path / "without.md").read_text()
    assert "secretly" in (tmp_path / "with.md").read_text()


def test_only_the_selected_messages_go_out(root: Path, tmp_path: Path) -> None:
    """`prompts` selects what was typed; numbers count from 1."""
    said("--root", root, "share", UUID, "-o", tmp_path / "p.md", "--select", "prompts")
    said("--root", root, "share", UUID, "-o", tmp_path / "one.md", "--select", "1")

    assert "Thanks" in (tmp_path / "p.md").read_text()
    assert "welcome" not in (tmp_path / "p.md").read_text()
    assert "please" in (tmp_path / "one.md").read_text()
    assert "Thanks" not in (tmp_path / "one.md").read_text()


@pytest.mark.parametrize("select, code", [("a-b", 2), ("9-3", 2), ("900", 1)])
def test_a_selection_of_nothing_writes_nothing(root: Path, tmp_path: Path, select: str, code: int) -> None:
    """A wrong selection is wrong use; numbers that no message has find nothing."""
    assert code == said("--root", root, "share", UUID, "-o", tmp_path / "x.md", "--select", select)[0]
    assert not (tmp_path / "x.md").exists()


def test_a_finding_in_the_finished_file_means_no_file(root: Path, tmp_path: Path) -> None:
    """The last scan looks at the page itself: a rule that its own words fulfil makes `share` refuse."""
    rules = own_home(os.environ) / "redact.toml"
    rules.parent.mkdir(parents=True, exist_ok=True)
    rules.write_text(
        '[[rule]]\nname = "frame"\nfamily = "ai"\nliterals = ["Expand all"]\npattern = "Expand all"\n'
        'matches = ["Expand all", "x Expand all"]\nignores = ["Expand", "all"]\n'
    )
    code, _, err = said("--root", root, "share", UUID, "-o", tmp_path / "out.html")

    assert 4 == code
    assert "frame" in err
    assert not (tmp_path / "out.html").exists()
    assert 0 == said("--root", root, "share", UUID, "-o", tmp_path / "out.md")[0]


def test_a_plan_writes_nothing(root: Path, tmp_path: Path) -> None:
    """The plan counts by rule and names no value."""
    before = sorted(tmp_path.rglob("*"))
    code, out, err = said("--root", root, "share", UUID, "--plan", "--json")
    answer = json.loads(out)

    assert 0 == code
    assert answer["file"] is None
    assert answer["rules"]["anthropic-api-key"] >= 2
    assert [] == answer["findings"]
    assert KEY not in out + err
    assert before == sorted(tmp_path.rglob("*"))


def test_nothing_is_overwritten_and_nothing_goes_into_claudes_directories(root: Path, tmp_path: Path) -> None:
    """An existing file, a directory that holds files and Claude's own directories are refused."""
    (tmp_path / "there.html").write_text("mine")

    assert 4 == said("--root", root, "share", UUID, "-o", tmp_path / "there.html")[0]
    assert 4 == said("--root", root, "share", UUID, "--dir", tmp_path)[0]
    assert 4 == said("--root", root, "share", UUID, "-o", tmp_path / ".claude" / "new.html")[0]
    assert "mine" == (tmp_path / "there.html").read_text()


def test_a_project_goes_into_a_directory(root: Path, tmp_path: Path) -> None:
    """--project writes one file for each session of the project; an unknown project writes nothing."""
    code = said("--root", root, "share", "--project", "shop", "--dir", tmp_path / "out", "--format", "md")[0]

    assert 0 == code
    assert [f"0001-{UUID}.md"] == [path.name for path in (tmp_path / "out").iterdir()]
    assert 1 == said("--root", root, "share", "--project", "nowhere", "--dir", tmp_path / "none")[0]
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize(
    "options", [("-o", "x.docx"), (), ("-o", "x.md", "--dir", "y"), ("-o", "x.md", "--project", "p")]
)
def test_wrong_use_is_refused(root: Path, options: tuple[str, ...]) -> None:
    """A kind of file that we cannot write, no place, or two places are wrong use."""
    assert 2 == said("--root", root, "share", UUID, *options)[0]


def image(data: bytes, media_type: str = "image/png") -> dict[str, object]:
    """Return the part of a message that holds an image."""
    source = {"type": "base64", "media_type": media_type, "data": b64encode(data).decode()}
    return {"type": "image", "source": source}


@pytest.fixture
def pictures(tmp_path: Path) -> Path:
    """Return a home with an image in a prompt, one in a result, and one that is none."""
    svg = image(b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>")
    records = [
        user("u1", None, [{"type": "text", "text": "Look"}, image(PNG_WITH_TEXT), svg], cwd=CWD),
        assistant("a1", "u1", [call("toolu_1", "Read", file_path="x.png")]),
        user("r1", "a1", [given("toolu_1", [image(PNG)])]),
        assistant("a2", "r1", "A red dot."),
    ]
    lines = [json.dumps(one | {"sessionId": UUID, "timestamp": "2026-01-01T00:00:00Z"}).encode() for one in records]
    write_transcript(home(tmp_path), "-home-marguerite-shop", UUID, [line + b"\n" for line in lines])
    return tmp_path


def test_images_go_out_only_when_they_are_asked_for(pictures: Path, tmp_path: Path) -> None:
    """With --images a raster image is embedded, without its metadata; an SVG never is."""
    without, with_images = tmp_path / "without.html", tmp_path / "with.html"
    said("--root", pictures, "share", UUID, "-o", without)
    code = said("--root", pictures, "share", UUID, "-o", with_images, "--images")[0]
    text = with_images.read_text()

    assert 0 == code
    assert "<img" not in without.read_text()
    assert 2 == text.count(f'src="data:image/png;base64,{b64encode(PNG).decode()}"')
    assert 2 == text.count("<img")
    assert "svg" not in text.partition("<main>")[2]


def test_an_image_is_the_result_of_its_call(pictures: Path, tmp_path: Path) -> None:
    """A result that is only an image is not called empty, in any form."""
    for form in ("html", "md"):
        said("--root", pictures, "share", UUID, "-o", tmp_path / f"out.{form}")

        assert "no output" not in (tmp_path / f"out.{form}").read_text()


def test_long_outputs_go_out_whole_only_when_that_is_asked_for(tmp_path: Path) -> None:
    """Of an output over 64 kB the beginning goes out; --outputs shares all of it."""
    output = "line of output\n" * 10_000 + "the very end"
    Draft(UUID, CWD).prompt("Go").answer(calls=[bash("seq", output)]).write(home(tmp_path))
    said("--root", tmp_path, "share", UUID, "-o", tmp_path / "cut.md")
    said("--root", tmp_path, "share", UUID, "-o", tmp_path / "whole.md", "--outputs")

    assert "more characters were not shared" in (tmp_path / "cut.md").read_text()
    assert "the very end" not in (tmp_path / "cut.md").read_text()
    assert "the very end" in (tmp_path / "whole.md").read_text()


def test_a_secret_at_the_end_of_a_cut_output_does_not_go_out_in_half(tmp_path: Path) -> None:
    """The word at which an output is cut is left out: no rule knows half a secret."""
    output = "w" * 63_980 + f" {GITHUB} rest of it"
    Draft(UUID, CWD).prompt("Go").answer(calls=[bash("cat x", output)]).write(home(tmp_path))
    code, _, err = said("--root", tmp_path, "share", UUID, "-o", tmp_path / "cut.json")
    text = (tmp_path / "cut.json").read_text()

    assert 0 == code, err
    assert "more characters were not shared" in text
    assert GITHUB[:8] not in text


@pytest.mark.slow
@pytest.mark.parametrize("form, largest", [("html", 5_100_000), ("md", 1_000_000)])
def test_a_long_session_becomes_numbered_pages(tmp_path: Path, form: str, largest: int) -> None:
    """Pages keep below their size, the index has the name that was asked for, and JSON counts them."""
    draft = Draft(UUID, CWD)
    for number in range(130):
        draft.prompt(f"Prompt {number}").answer(calls=[bash("seq", KEY + "\nwords of an output" * 2500)])
    draft.write(home(tmp_path))
    (tmp_path / "out").mkdir()
    code, out, _ = said("--root", tmp_path, "share", UUID, "-o", tmp_path / "out" / f"s.{form}", "--json")
    sizes = {path.name: path.stat().st_size for path in (tmp_path / "out").iterdir()}

    assert 0 == code
    assert len(sizes) == json.loads(out)["pages"] >= 3
    assert sum(sizes.values()) == json.loads(out)["bytes"]
    assert max(sizes.values()) <= largest
    assert {f"s.{form}", f"s-1.{form}"} <= set(sizes)
    assert all(KEY not in (tmp_path / "out" / name).read_text() for name in sizes)


@pytest.mark.slow
@needs_chromium
@pytest.mark.skipif(shutil.which("pdftotext") is None, reason="needs pdftotext of poppler-utils")
def test_a_pdf_holds_no_secret_in_text_and_metadata(root: Path, tmp_path: Path) -> None:
    """Folded parts are printed, and neither the text nor the facts of the PDF hold a secret."""
    target = tmp_path / "out.pdf"
    code, out, err = said("--root", root, "share", UUID, "-o", target, "--thinking", "--json")
    text = subprocess.run(["pdftotext", target, "-"], check=True, capture_output=True).stdout
    facts = subprocess.run(["pdfinfo", target], check=True, capture_output=True).stdout

    assert 0 == code, err
    assert target.stat().st_size == json.loads(out)["bytes"]
    assert b"secretly" in text
    assert b"curl -H" in text
    assert not any(secret.encode() in text + facts for secret in (KEY, GITHUB, "marguerite"))
    assert [] == scan_bytes(Redactor().detector, text)
    assert b"Creator:         backscroll" in facts
    assert not any(path.suffix == ".html" for path in tmp_path.iterdir())


def test_without_a_browser_a_pdf_is_refused(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The exit code is 4, and the message says how to get a browser."""
    monkeypatch.setenv("PATH", str(tmp_path))
    code, _, err = said("--root", root, "share", UUID, "-o", tmp_path / "out.pdf")

    assert 4 == code
    assert "Install Chromium" in err
    assert not (tmp_path / "out.pdf").exists()


def test_a_browser_that_prints_nothing_is_told(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A browser that ends without a PDF means exit 4 and no file."""
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "chromium").write_text("#!/bin/sh\nexit 0\n")
    (programs / "chromium").chmod(0o700)
    monkeypatch.setenv("PATH", str(programs))
    (tmp_path / "out").mkdir()
    code, _, err = said("--root", root, "share", UUID, "-o", tmp_path / "out" / "s.pdf")

    assert 4 == code
    assert "printed no PDF" in err
    assert [] == list((tmp_path / "out").iterdir())


def test_the_facts_of_a_pdf_are_read() -> None:
    """Titles and links are found in both spellings of PDF."""
    data = b"<</Title <FEFF0041006E006E>\n/Creator (back\\(scroll) /URI (https://x.test/a)>>"

    assert "Ann\nback(scroll\nhttps://x.test/a" == pdf.plain_texts(data)


def test_a_pseudonym_before_a_tag_is_no_finding(tmp_path: Path) -> None:
    """The last line of a diff ends at our own tag: the tag does not belong to the value."""
    change = call("toolu_1", "Write", file_path=f"{CWD}/.env", content="A=1\nLOGIN_SECRET=Zq7Rk2Lp9Xw4Kd8")
    records = [user("u1", None, "Go", cwd=CWD), assistant("a1", "u1", [change]), user("r1", "a1", [given("toolu_1")])]
    lines = [json.dumps(one | {"sessionId": UUID}).encode() + b"\n" for one in records]
    write_transcript(home(tmp_path), "-home-marguerite-shop", UUID, lines)
    code, _, err = said("--root", tmp_path, "share", UUID, "-o", tmp_path / "out.html")

    assert 0 == code, err
    assert "LOGIN_SECRET=⟨secret-1⟩" in (tmp_path / "out.html").read_text()


def test_the_last_scan_reads_the_text_that_a_page_shows() -> None:
    """A value that only tags inside of it hide from a scan of the source is found: no page and no PDF hold it."""
    redactor = ValueRedactor()
    page = f"<p>{KEY[:15]}<strong>{KEY[15:30]}</strong>{KEY[30:]}</p>".encode()

    assert [] != findings_in_page(redactor, page)
    assert [] == findings_in_page(redactor, b"<p>PASSWORD=</p><p>first1</p>")
    assert [] == findings_in_page(redactor, b'<span class="kept">secret: string</span><span class="added">4x9Q</span>')


def test_a_secret_that_markdown_joins_is_no_part_of_a_page(tmp_path: Path) -> None:
    """Where Markdown hides a key from the rules, the finished page shows it, and is not written."""
    Draft(UUID, CWD).prompt("Show it").answer(f"{KEY[:20]}`{KEY[20:40]}`{KEY[40:]}").write(home(tmp_path))
    code, _, err = said("--root", tmp_path, "share", UUID, "-o", tmp_path / "out.html")

    assert 4 == code
    assert "anthropic-api-key" in err
    assert not (tmp_path / "out.html").exists()


def test_an_entity_of_a_page_makes_no_word_a_secret(tmp_path: Path) -> None:
    """The page spells an apostrophe with digits; the scan reads what the page shows."""
    Draft(UUID, CWD).prompt("Show it").answer("```\n| secrets | file's |\n```").write(home(tmp_path))
    code, _, err = said("--root", tmp_path, "share", UUID, "-o", tmp_path / "out.html")

    assert 0 == code, err
    assert [] != findings_in_page(ValueRedactor(), f"<p>PASSWORD=&quot;{GITHUB}&quot;</p>".encode())
