"""The redactor: the same secret has the same pseudonym, and nothing is left to find."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from redact.generate import CONTAINERS, FAMILIES, plant

from backscroll.redact import KnownIdentities, NamedText, Pseudonyms, Redactor, shipped_rules

KEY = "AKIA" + "FAKE" * 4
OTHER = "AKIA" + "FAK3" * 4
KNOWN = KnownIdentities(
    homes=("/home/nora", r"C:\Users\nora"),
    users=("nora",),
    hosts=("norasbox",),
    emails=("nora@mail.test",),
    names=("Nora Fake",),
    accounts=("fa4efa4e-fa4e-4a4e-8a4e-fa4efa4efa4e",),
)
SHARED = Redactor(known=KNOWN)


def known(text: str) -> str:
    """Redact a text with known identities."""
    return Redactor(known=KNOWN).redact_text(text)


def test_same_secret_same_pseudonym() -> None:
    """Each secret has its own number, wherever and in whatever form it stands."""
    redactor = Redactor()
    written = KEY.replace("F", "%46", 1)

    assert "⟨aws-key-1⟩ ⟨aws-key-2⟩ ⟨aws-key-1⟩" == redactor.redact_text(f"{KEY} {OTHER} {KEY}")
    assert "x=⟨aws-key-1⟩" == redactor.redact_text(f"x={written}")


@pytest.mark.parametrize(
    "text, redacted",
    [
        ("cd /home/nora/src", "cd ⟨home⟩/src"),
        ("projects/-home-nora-src", "projects/⟨home⟩-src"),
        (r"dir C:\Users\nora\src", r"dir C:\Users\⟨user⟩\src"),
        ("c:/users/NORA/src", "⟨home-2⟩/src"),
        (r"D:\work\nora\src", r"D:\work\⟨user⟩\src"),
        ("by Nora Fake <nora@mail.test>", "by ⟨name⟩ <⟨email⟩>"),
        ("nora@norasbox:~$ ls", "⟨host-2⟩:~$ ls"),
        ("norapath and Noranda stay", "norapath and Noranda stay"),
        ("/home/otto/x", "/home/⟨user-2⟩/x"),
        ("org fa4efa4e-fa4e-4a4e-8a4e-fa4efa4efa4e", "org ⟨account⟩"),
    ],
)
def test_known_identities(text: str, redacted: str) -> None:
    """Known identities become readable pseudonyms; words that only contain them stay."""
    assert redacted == known(text)


@pytest.mark.parametrize(
    "text, redacted",
    [
        ("**Password:** hunter2xQ9", "**Password:** ⟨secret-1⟩"),
        ("- **API key**: `Zk83hfKq02mfPq8dLs`", "- **API key**: `⟨secret-1⟩`"),
        ("| DB password | hunter2xQ9 |", "| DB password | ⟨secret-1⟩ |"),
        ("<password>hunter2xQ9</password>", "<password>⟨secret-1⟩</password>"),
        ("key ghp" + r"\_" + "Fak3" * 9, "key ⟨github-token-1⟩"),
        ("jean@build7:/srv$ ls", "⟨host-1⟩:/srv$ ls"),
        ("[jean@build7 srv]$ ls", "[⟨host-1⟩ srv]$ ls"),
        ("uid=1000(jean) gid=1000(jean)", "uid=1000(⟨user-1⟩) gid=1000(⟨user-1⟩)"),
        ("see https://git.corp.internal/x", "see https://⟨host-1⟩/x"),
        ("Author: Jean L. Fake <jean@mail.test>", "Author: ⟨name-1⟩ <⟨email-1⟩>"),
    ],
)
def test_secrets_as_people_write_them(text: str, redacted: str) -> None:
    """Markdown, tables, XML, shell prompts and git's log put signs between a name and its value."""
    assert redacted == Redactor().redact_text(text)


@pytest.mark.parametrize(
    "text",
    [
        "| Token | Meaning |",
        "**Tokens:** 12,500 of 200k",
        "| secret | string | required |",
        "<token>string</token>",
        "**Password**: required",
        "http://host.docker.internal:8080/",
        "Co-Authored-By: Claude Fable 5 <noreply@anthropic.com>",
        "uid=0(root) gid=0(root)",
        "git@github.com:/x/y.git",
        "import com.fake.internal.Service",
        "npm i -D @types/node@20:/x",
        r"a\_b\_c and C:\-x",
    ],
)
def test_their_look_alikes_stay(text: str) -> None:
    """Headings of tables, counts, placeholders and addresses of every machine are not secrets."""
    assert text == Redactor().redact_text(text)


def test_ordinary_names_stay() -> None:
    """A user who is called root does not blank every root of a text."""
    redactor = Redactor(known=KnownIdentities(users=("root", "me"), hosts=("localhost",)))

    assert "the root of me on localhost" == redactor.redact_text("the root of me on localhost")


def test_pseudonym_is_never_a_finding() -> None:
    """A pseudonym in the place of a password is left alone; an imitation is not."""
    assert "PASSWORD=⟨secret-1⟩" == Redactor().redact_text("PASSWORD=⟨secret-1⟩")
    assert "PASSWORD=⟨hunter2x⟩" != Redactor().redact_text("PASSWORD=⟨hunter2x⟩")


@pytest.mark.parametrize("text", ["?token=%E2%9F%A8secret-1%E2%9F%A9", r'"token": "\\u27e8secret-1\\u27E9"'])
def test_pseudonym_in_another_spelling_is_no_finding(text: str) -> None:
    """A pseudonym in a URL or in JSON is one too; an imitation is not."""
    assert text == Redactor().redact_text(text)
    assert "Fak3fak3" not in Redactor().redact_text(text.replace("secret-1", "Fak3fak3fak3"))


def test_rest_around_a_pseudonym_is_found() -> None:
    """What stands beside a pseudonym in a value is redacted too."""
    redacted = Redactor().redact_text("PASSWORD=abcd1⟨user⟩efgh2")

    assert "abcd1" not in redacted
    assert "efgh2" not in redacted
    assert "⟨user⟩" in redacted


def test_numbers_in_the_input_are_left_out() -> None:
    """A new secret in a text that was redacted before does not get a number that is taken."""
    assert "⟨aws-key-4⟩ ⟨aws-key-5⟩" == Redactor().redact_text(f"⟨aws-key-4⟩ {KEY}")


def test_secret_over_two_parts() -> None:
    """A secret that begins in one part of a message and ends in another vanishes from both."""
    parts = Redactor().redact_parts([f"see {KEY[:7]}", f"{KEY[7:]} there"])

    assert ["see ⟨aws-key-1⟩", "⟨aws-key-1⟩ there"] == parts


def test_secret_over_many_tiny_parts() -> None:
    """Parts of one character each are read as the message they make."""
    parts = Redactor().redact_parts(["x", " ", *KEY, " ", "y"])

    assert not any(letter in "".join(parts) for letter in "AKIFE")


def test_empty_part_stays_empty() -> None:
    """A secret that crosses an empty part puts nothing into it."""
    assert ["⟨aws-key-1⟩", "", "⟨aws-key-1⟩"] == Redactor().redact_parts([KEY[:7], "", KEY[7:]])


def test_whole_token_before_another_part_stays_whole() -> None:
    """A token that ends with its part is found, though a letter follows in the next."""
    assert ["⟨aws-key-1⟩", "and so on"] == Redactor().redact_parts([KEY, "and so on"])


def test_name_of_a_field_is_context() -> None:
    """A field called password makes its whole value a secret, spaces and quotes included."""
    texts = Redactor().redact_texts([NamedText('two "words" 1', "password"), NamedText("two words", "title")])

    assert ["⟨secret-1⟩", "two words"] == texts


def test_half_surrogate_pairs_survive() -> None:
    """Text that is no valid Unicode, as JSON may hold it, is kept around a redaction."""
    assert "\ud83d ⟨aws-key-1⟩ \udc00" == Redactor().redact_text(f"\ud83d {KEY} \udc00")


def test_redactions_are_counted() -> None:
    """The redactor says how often each rule fired."""
    redactor = Redactor()
    redactor.redact_text(f"{KEY} {OTHER}")

    assert {"aws-key": 2} == redactor.redactions


def test_tables_hide_the_values() -> None:
    """No repr of the tables and values on the way shows a secret."""
    names = Pseudonyms(KNOWN)
    names.name("aws-key", KEY.encode())

    assert KEY not in repr(vars(names))
    assert KEY not in repr(NamedText(KEY))
    assert "nora" not in repr(Redactor(known=KNOWN).detector.find(b"hello nora"))


@settings(max_examples=60)
@given(
    st.lists(st.sampled_from([*(rule.matches[0] for rule in shipped_rules()), "\n", " ", '"', "\\", "x", "=", "nora"]))
)
def test_redacting_twice_changes_nothing(pieces: list[str]) -> None:
    """The output of the redactor holds nothing that it would redact, whatever stood side by side."""
    once = SHARED.redact_text("".join(pieces))

    assert once == SHARED.redact_text(once)
    assert [] == SHARED.detector.find(once.encode())


@settings(max_examples=60)
@given(st.sampled_from(FAMILIES), st.sampled_from(sorted(CONTAINERS)), st.integers(), st.text(max_size=30))
def test_any_text_around_a_container(family: str, container: str, seed: int, around: str) -> None:
    """Redacting twice changes nothing for any family, container and surrounding text."""
    random = Random(seed)  # noqa: S311 - fake secrets are meant to repeat
    parts = [around, *CONTAINERS[container](plant(family, random), random), around]
    once = SHARED.redact_parts(parts)

    assert once == SHARED.redact_parts(once)


@given(st.text(max_size=200))
def test_any_text_is_read(text: str) -> None:
    """No text makes the redactor fail."""
    assert isinstance(SHARED.redact_text(text), str)


def test_escapes_and_brackets_beside_a_pseudonym_are_no_finding() -> None:
    """A spelled terminal escape or the end of a JSON string is not the rest of a secret; real rests are."""
    detector = Redactor().detector

    assert [] == detector.find(r"tool --api-key \x1b[31m⟨secret-7⟩\x1b[0m run".encode())
    assert [] == detector.find('{"text": "login fake password ⟨password-5⟩⟨password-6⟩"}], "usage"'.encode())
    assert [b"Zq7Rk2Lp9Xw4"] == [one.value for one in detector.find("DB_PASSWORD=⟨secret-1⟩Zq7Rk2Lp9Xw4".encode())]
