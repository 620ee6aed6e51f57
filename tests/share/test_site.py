"""`export`: a static site that is complete, linked, searchable and written anew only where something changed."""

import json
import re
from pathlib import Path

import pytest
from command import said
from make import UUID, Draft, bash, home

KEY = "sk-ant-api03-" + "Zq7Rk2Lp9Xw4" * 6 + "AA"
OTHER = "22222222-aaaa-4aaa-8aaa-000000000002"
FORK = "33333333-aaaa-4aaa-8aaa-000000000003"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a home with two sessions of one project and one of another."""
    first = Draft(UUID, "/home/marguerite/shop").prompt(f"Use {KEY}").answer("Das Größenverhältnis", thinking="hm")
    first.answer(calls=[bash("ls", "<script>alert(1)</script>")]).write(home(tmp_path))
    first.fork(FORK).prompt("Another way").answer("Forked").write(home(tmp_path))
    Draft(OTHER, "/home/marguerite/tides").prompt("日本語の質問").answer("Tides rise").write(home(tmp_path))
    return tmp_path


def exported(root: Path, *options: str | Path) -> dict[str, object]:
    """Return the JSON of `export` into `site`."""
    code, out, err = said("--root", root, "export", "--dir", root / "site", "--json", *options)

    assert 0 == code, err
    answer: dict[str, object] = json.loads(out)
    return answer


def texts(root: Path) -> dict[str, str]:
    """Return all pages of the site."""
    site = root / "site"
    return {str(path.relative_to(site)): path.read_text() for path in site.rglob("*.html")}


def test_every_session_has_a_page_and_all_links_lead_somewhere(root: Path) -> None:
    """The list links all sessions, a fork links its origin, and each page says that it is not redacted."""
    answer = exported(root)
    pages = texts(root)

    assert {"dir": str(root / "site"), "sessions": 3, "written": 3}.items() <= answer.items()
    assert {f"sessions/{name}.html" for name in (UUID, OTHER, FORK)} | {"index.html", "search.html"} == set(pages)
    assert all("Not redacted" in text for text in pages.values())
    assert KEY in pages[f"sessions/{UUID}.html"]
    assert f'href="{UUID}.html"' in pages[f"sessions/{FORK}.html"]
    for name, text in pages.items():
        for link in re.findall(r'href="([^"#]+)', text):
            assert (root / "site" / name).parent.joinpath(link).resolve().is_file(), (name, link)


def test_files_are_for_their_owner_alone(root: Path) -> None:
    """The site holds everything that was said."""
    exported(root)

    modes = {path.stat().st_mode & 0o077 for path in (root / "site").rglob("*")}
    assert {0} == modes | {(root / "site").stat().st_mode & 0o077}


def test_only_changed_sessions_are_written_again(root: Path) -> None:
    """A second run writes no session; one that grew is written, with new words; one that is gone stays."""
    exported(root)
    again = exported(root)
    Draft(OTHER, "/home/marguerite/tides").prompt("日本語の質問").answer("Tides rise").prompt("Zugspitze").write(
        home(root)
    )
    grown = exported(root)
    for path in root.glob(f".claude/projects/*/{OTHER}.jsonl"):
        path.unlink()
    gone = exported(root)

    assert (0, 1, 0) == (again["written"], grown["written"], gone["written"])
    assert "zugspitze" in texts(root)["search.html"]
    assert f"sessions/{OTHER}.html" in texts(root)["index.html"]


def test_a_page_that_is_missing_or_an_entry_that_is_broken_is_written_again(root: Path) -> None:
    """A killed run leaves such things behind."""
    exported(root)
    (root / "site" / "sessions" / f"{UUID}.html").unlink()
    (root / "site" / "entries" / f"{OTHER}.json").write_text("{")

    assert 2 == exported(root)["written"]
    assert f"sessions/{UUID}.html" in texts(root)


def test_the_index_of_words_finds_every_word(root: Path) -> None:
    """Words stand without accents and case, and characters of scripts without blanks alone."""
    exported(root)
    page = texts(root)["search.html"]
    words = dict(
        line.split(" ", 1) for line in page.split('id="words">\n')[1].split("</script>")[0].splitlines() if line
    )

    assert {"tides", "großenverhaltnis", "forked", "日", "語", "script"} <= set(words)
    assert list(words) == sorted(words)


def test_a_project_alone(root: Path) -> None:
    """--project chooses; a project without sessions is not found."""
    assert 1 == exported(root, "--project", "tides")["sessions"]
    assert 1 == said("--root", root, "export", "--dir", root / "none", "--project", "nowhere")[0]
    assert not (root / "none").exists()


def test_a_redacted_site_holds_no_secret(root: Path) -> None:
    """--redact replaces as `share` does, in pages, entries, list and search; the kinds do not mix."""
    exported(root, "--redact")
    everything = "".join(path.read_text() for path in (root / "site").rglob("*") if path.is_file())

    assert KEY not in everything
    assert "marguerite" not in everything
    assert "Redacted: " in texts(root)["index.html"]
    assert 4 == said("--root", root, "export", "--dir", root / "site")[0]


def test_a_directory_of_others_is_refused(root: Path) -> None:
    """Other files, Claude's directories, a link and a file in its place: 4, and nothing is written."""
    (root / "mine").mkdir()
    (root / "mine" / "notes.txt").write_text("mine")
    (root / "empty").mkdir()
    (root / "link").symlink_to(root / "empty")
    (root / "file").write_text("")

    for name in ("mine", ".claude", ".claude/new", "link", "file"):
        assert 4 == said("--root", root, "export", "--dir", root / name)[0], name
    assert ["notes.txt"] == [path.name for path in (root / "mine").iterdir()]
    assert [] == list((root / "empty").iterdir())


def test_pages_run_only_our_scripts(root: Path) -> None:
    """Text of a transcript is escaped, and the policy names the one script of the page by its hash."""
    exported(root)

    for text in texts(root).values():
        assert "<script>alert" not in text
        assert 1 == text.count("<script>")
        assert re.search(r"script-src 'sha256-[^']+'; img-src data:;", text)
