"""Secrets as an attacker or an ordinary tool hides them: in other spellings, other containers and other assignments.

The shapes are those of real outputs: `cat -n`, `cat -v`, PowerShell, Kubernetes, Postman, SQL, Git.
"""

import base64
import json
from random import Random

import pytest
from redact.generate import fill

from backscroll.redact import Redactor

RANDOM = Random(2121)  # noqa: S311 - fake secrets are meant to repeat
TOKEN = fill("ghp_{w:36}", RANDOM)
PASSWORD = "Q7" + fill("{w:11}", RANDOM) + "x"
LINES = [fill("{b:64}", RANDOM) for _ in range(6)]
HALF = 20


def split(between: str) -> str:
    """Return the token with something in its middle."""
    return TOKEN[:HALF] + between + TOKEN[HALF:]


def numbered(mark: str) -> str:
    """Return a private key with line numbers, as `cat -n`, `grep -n` and Claude's Read tool print it."""
    lines = ["-----BEGIN RSA PRIVATE KEY-----", *LINES, "-----END RSA PRIVATE KEY-----"]
    return "\n".join(f"{number:6}{mark}{line}" for number, line in enumerate(lines, 1))


def commented(mark: str) -> str:
    """Return a private key without its end, with a mark before each line."""
    return "\n".join(f"{mark}{line}" for line in ("-----BEGIN RSA PRIVATE KEY-----", *LINES))


SPELLINGS = {
    "a colour without its escape": f"[31m{TOKEN}[0m",
    "such a colour inside": split("[1;32m"),
    "cat -v": f"^[[31m{TOKEN}^[[0m",
    "echo -e": rf"echo '\e[31m{TOKEN}\e[0m'",
    "an octal escape": rf"printf '\033[1;31m{TOKEN}'",
    "a hexadecimal escape": rf"b'token\x3d{TOKEN}'",
    "an octal equals sign": rf"token\075{TOKEN}",
    "a word before it": f"Token{TOKEN}",
    "bold in Markdown": split("**"),
    "a line number of Read": f"    10→{TOKEN[:HALF]}\n    11→{TOKEN[HALF:]}",
    "a table": f"│ {TOKEN[:HALF]} │\n│ {TOKEN[HALF:]} │",
    **{
        f"U+{ord(char):04X}": split(char) for char in "\0\x08\u00ad\u034f\u180e\u202e\u2062\u2068\u3164\ufe0f\U000e0020"
    },
}


@pytest.mark.parametrize("name", SPELLINGS)
def test_no_spelling_hides_a_token(name: str) -> None:
    """Neither half of the token can be read afterwards."""
    redacted = Redactor().redact_text(f"before {SPELLINGS[name]} after")

    assert TOKEN[:HALF] not in redacted
    assert TOKEN[HALF:] not in redacted
    assert redacted.startswith("before ")


def test_letters_of_other_alphabets_do_not_hide_a_token() -> None:
    """Wide letters and letters of Cyrillic count as those of ASCII."""
    wide = "".join(chr(ord(char) + 0xFEE0) for char in TOKEN)
    mixed = TOKEN[:HALF] + "а" + TOKEN[HALF:]

    assert "⟨github-token-1⟩" == Redactor().redact_text(wide)
    assert TOKEN[HALF:] not in Redactor().redact_text(mixed)


def test_text_of_other_alphabets_stays() -> None:
    """Ordinary text in Russian, Greek, Chinese, and emoji, is unchanged."""
    text = "Привет, мир API-сервер ⚠️ Καλημέρα 你好，世界（ＡＢＣ） 2**8 [0m"

    assert text == Redactor().redact_text(text)


def test_encoded_powershell_is_read() -> None:
    """Base64 of UTF-16, as PowerShell takes it, is no hiding place."""
    run = base64.b64encode(f"$t='{TOKEN}'; echo $t".encode("utf-16-le")).decode()

    assert "powershell -enc ⟨github-token-1⟩" == Redactor().redact_text(f"powershell -enc {run}")


PRIVATE_KEYS = {
    "Read": numbered("→"),
    "cat -n": numbered("\t"),
    "grep -n": numbered(":"),
    "comment of a shell": commented("# "),
    "comment of C": commented("// "),
    "removed lines of a diff": commented("-"),
    "list of strings": commented('"').replace("\n", '\\n",\n'),
    "joined strings": commented("'").replace("\n", "\\n' +\n"),
    "tail": "\n".join((*LINES, "-----END RSA PRIVATE KEY-----")),
}


@pytest.mark.parametrize("name", PRIVATE_KEYS)
def test_no_line_of_a_private_key_stays(name: str) -> None:
    """Line numbers, quotes and marks of comments belong to the key."""
    redacted = Redactor().redact_text(f"The file says:\n{PRIVATE_KEYS[name]}\n")

    assert [] == [line for line in LINES if line[8:56] in redacted]


AWS = fill("{b:39}x", RANDOM)
ASSIGNED = {
    "Kubernetes": f"- name: DB_PASSWORD\n  value: {PASSWORD}",
    "a list of variables": json.dumps({"name": "API_TOKEN", "value": PASSWORD}),
    "the same in JSON": json.dumps(json.dumps({"name": "API_TOKEN", "value": PASSWORD})),
    ".NET": f'<add key="DbPassword" value="{PASSWORD}" />',
    "Terraform": f'variable "db_password" {{\n  default = "{PASSWORD}"\n}}',
    "JavaScript": f"auth: {{ user: 'me', pass: '{PASSWORD}' }}",
    "a short name": f"db_pass = '{PASSWORD}'",
    "Compose": f"DB_PASS: {PASSWORD}",
    "Ansible": f"ansible_ssh_pass={PASSWORD}",
    "PHP": f"define('DB_PASSWORD', '{PASSWORD}');",
    "Python": f'os.environ["API_TOKEN"] = "{PASSWORD}"',
    "SQL": f"CREATE USER app IDENTIFIED BY '{PASSWORD}';",
    "PostgreSQL": f"ALTER ROLE app WITH PASSWORD '{PASSWORD}';",
    ".pgpass": f"db.host.test:5432:app:me:{PASSWORD}",
    "openssl": f"openssl enc -d -pass pass:{PASSWORD} -in x",
    "sudo": f"echo '{PASSWORD}' | sudo -S apt install x",
    "chpasswd": f"echo 'me:{PASSWORD}' | sudo chpasswd",
    "PowerShell": f'ConvertTo-SecureString "{PASSWORD}" -AsPlainText -Force',
    "Windows": f"setx API_TOKEN {PASSWORD}",
    "fish": f"set -gx API_TOKEN {PASSWORD}",
    "German": f"Passwort: {PASSWORD}",
    "Chinese": f"密码：{PASSWORD}",
}


@pytest.mark.parametrize("name", ASSIGNED)
def test_no_assignment_hides_a_password(name: str) -> None:
    """A password beside its name is found in the ways in which programs write it."""
    redacted = Redactor().redact_text(f"I set it:\n{ASSIGNED[name]}\nDone.")

    assert PASSWORD not in redacted
    assert redacted.endswith("\nDone.")


@pytest.mark.parametrize(
    "text",
    [
        "AKIA" + fill("{A:16}", RANDOM) + "\t" + AWS,
        "Access key ID,Secret access key\nAKIA" + fill("{A:16}", RANDOM) + "," + AWS,
        f"aws configure set aws_secret_access_key {AWS}",
    ],
)
def test_both_halves_of_a_key_of_aws_are_found(text: str) -> None:
    """The secret half has no shape of its own; its place beside the first half tells it."""
    assert AWS not in Redactor().redact_text(text)


PEOPLE = {
    "git config user.name 'Nora Quist'": "Quist",
    "[user]\n\tname = Nora Quist\n": "Quist",
    "GIT_AUTHOR_NAME='Nora Quist' git commit": "Quist",
    "fa4efa4 Nora Quist <nora@quist.test> Fix it": "Quist",
    "ls /home/nöra/x": "ra/x",
    "ls /home/77nora/x": "nora",
    "ls /mnt/backup/home/noraq/x": "noraq",
    r"dir \\wsl.localhost\Ubuntu\home\noraq\x": "noraq",
    r"dir C:\Users\Jörg\x": "rg",
    "see `-Users-noraq-Documents-x`": "noraq",
}


@pytest.mark.parametrize("text", PEOPLE)
def test_people_are_found(text: str) -> None:
    """Names of authors and home directories of every spelling become pseudonyms."""
    assert PEOPLE[text] not in Redactor().redact_text(text)


ORDINARY = [
    "src/pages/home/index.tsx and https://host.test/home/news",
    "Controllers/Users/List.cs",
    "SHA1 Fingerprint: 9b:aa:e5:9f:56:ee:21:cb:43:5a:be:25:93:df:a7:f0:40:d1:1d:cb",
    "ObjectIdentifier 1.3.36.3.3.2.8.1.1.7 in section 4.10.22.7, V8 3.14.5.19",
    "token, value = get_word(value)",
    "('input_tokens', 'cache_1h_tokens') and {'StartToken' => '3.16'}",
    "url_auth = get_auth_from_url(url)",
    "--- PASS: TestFake12 (0.01s)\npass: 12/15\nOLDPWD=/tmp/x1 pwd: '/srv/x'",
    "def style(cls, token: _TokenType) -> None: use(_token=_token)",
    "E=Math.min(A+100663296)",
    "this.password=null;e.token=t.token;",
    "see `tests/e2e/.env` for credentials: `tests/e2e/.env`",
    "Passwort: erforderlich, mot de passe : obligatoire",
    "if key.startswith('-----BEGIN PRIVATE KEY-----') and key.endswith('-----END PRIVATE KEY-----'):",
]


@pytest.mark.parametrize("text", ORDINARY)
def test_ordinary_text_stays(text: str) -> None:
    """Each of these was once taken for a secret, or resembles the new rules."""
    assert text == Redactor().redact_text(text)
