"""A seeded generator of fake secrets, of the containers that carry them, and of look-alikes.

The shapes are written down here a second time, apart from the rules, so that the two can disagree.
"""

import base64
import json
import re
import string
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random
from urllib.parse import quote, unquote

VALUES = 20
LOOKALIKES = 10_000

ALPHABETS = {
    "A": string.ascii_uppercase + string.digits,
    "a": string.ascii_lowercase + string.digits,
    "w": string.ascii_letters + string.digits,
    "h": "0123456789abcdef",
    "d": string.digits,
    "u": string.ascii_letters + string.digits + "_-",
    "b": string.ascii_letters + string.digits + "+/",
    "l": string.ascii_lowercase,
}


@dataclass(frozen=True)
class Planted:
    """A fake secret, and the text that carries it."""

    family: str
    value: str
    text: str


def fill(template: str, random: Random) -> str:
    """Return a template with each `{alphabet:count}` filled at random."""
    return re.sub(
        r"\{(\w):(\d+)\}",
        lambda found: "".join(random.choices(ALPHABETS[found[1]], k=int(found[2]))),
        template,
    )


def with_checksum(prefix: str, random: Random) -> str:
    """Return a token of GitHub or npm, with its CRC-32 in base 62."""
    body = fill("{w:30}", random)
    number, digits = zlib.crc32(body.encode()), ""
    base62 = string.digits + string.ascii_uppercase + string.ascii_lowercase
    for _ in range(6):
        number, digit = divmod(number, 62)
        digits = base62[digit] + digits
    return prefix + body + digits


def private_key(random: Random) -> str:
    """Return a PEM file of noise."""
    kind = random.choice(["RSA ", "EC ", "OPENSSH ", ""])
    lines = "\n".join(fill("{b:64}", random) for _ in range(random.randint(3, 12)))
    return f"-----BEGIN {kind}PRIVATE KEY-----\n{lines}\n{fill('{b:22}', random)}==\n-----END {kind}PRIVATE KEY-----"


def web_token(random: Random) -> str:
    """Return a JWT with a real header and noise behind it."""

    def part(value: object) -> str:
        return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")

    claims = {"sub": fill("{d:10}", random), "iat": random.randint(1, 1 << 31)}
    return f"{part({'alg': 'HS256', 'typ': 'JWT'})}.{part(claims)}.{fill('{u:43}', random)}"


TOKENS = {
    "anthropic-api-key": "sk-ant-api03-{u:93}AA",
    "anthropic-admin-key": "sk-ant-admin01-{u:93}AA",
    "anthropic-oauth-token": "sk-ant-oat01-{u:93}AA",
    "anthropic-refresh-token": "sk-ant-ort01-{u:93}AA",
    "anthropic-session-key": "sk-ant-sid01-{u:86}AA",
    "openai-key": "sk-{w:48}",
    "openai-project-key": "sk-proj-{u:74}T3BlbkFJ{u:74}",
    "openrouter-key": "sk-or-v1-{h:64}",
    "google-api-key": "AIza{u:35}",
    "huggingface-token": "hf_{w:34}",
    "replicate-token": "r8_{w:37}",
    "groq-key": "gsk_{w:52}",
    "xai-key": "xai-{w:80}",
    "perplexity-key": "pplx-{w:48}",
    "nvidia-key": "nvapi-{u:64}",
    "langsmith-key": "lsv2_pt_{h:32}_{h:10}",
    "aws-key": "AKIA{A:16}",
    "aws-session-token": "IQoJb3JpZ2lu{b:300}",
    "google-oauth-token": "ya29.{u:120}",
    "google-oauth-secret": "GOCSPX-{u:28}",
    "digitalocean-token": "dop_v1_{h:64}",
    "heroku-key": "HRKU-{u:58}",
    "netlify-token": "nfp_{w:36}",
    "alibaba-key": "LTAI{w:20}",
    "github-fine-grained-token": "github_pat_{w:22}_{w:59}",
    "gitlab-token": "glpat-{u:20}",
    "bitbucket-token": "ATBB{w:32}",
    "sourcegraph-token": "sgp_{h:40}",
    "slack-token": "xoxb-{d:12}-{d:12}-{w:24}",
    "slack-app-token": "xapp-1-A{A:10}-{d:13}-{h:64}",
    "discord-token": "M{w:25}.{u:6}.{w:38}",
    "telegram-token": "{d:10}:AA{w:33}",
    "matrix-token": "syt_{w:16}_{w:20}_{w:6}",
    "stripe-key": "sk_live_{w:24}",
    "stripe-webhook-secret": "whsec_{w:32}",
    "square-token": "sq0csp-{u:43}",
    "shopify-token": "shpat_{h:32}",
    "razorpay-key": "rzp_live_{w:14}",
    "sendgrid-key": "SG.{w:22}.{w:43}",
    "mailgun-key": "key-{h:32}",
    "mailchimp-key": "{h:32}-us1{d:1}",
    "resend-key": "re_{w:8}_{w:24}",
    "brevo-key": "xkeysib-{h:64}-{w:16}",
    "twilio-key": "SK{h:32}",
    "databricks-token": "dapi{h:32}",
    "planetscale-token": "pscale_tkn_{u:43}",
    "supabase-key": "sbp_{h:40}",
    "circleci-token": "CCIPAT_{w:22}_{h:40}",
    "buildkite-token": "bkua_{h:40}",
    "terraform-token": "{w:14}.atlasv1.{w:67}",
    "vault-token": "hvs.{w:90}",
    "pulumi-token": "pul-{h:40}",
    "doppler-token": "dp.pt.{w:43}",
    "age-key": "AGE-SECRET-KEY-1{A:58}",
    "tailscale-key": "tskey-auth-{w:12}-{w:32}",
    "pypi-token": "pypi-AgEIcHlwaS5vcmc{u:100}",
    "rubygems-key": "rubygems_{h:48}",
    "docker-token": "dckr_pat_{u:26}w",
    "nuget-key": "oy2{a:43}",
    "crates-token": "cio{w:32}",
    "newrelic-key": "NRAK-{A:27}",
    "grafana-token": "glsa_{w:32}_{h:8}",
    "dynatrace-token": "dt0c01.{A:24}.{A:64}",
    "notion-token": "ntn_{w:46}",
    "linear-key": "lin_api_{w:40}",
    "figma-token": "figd_{w:40}",
    "airtable-token": "pat{w:14}.{h:64}",
    "hubspot-token": "pat-na1-{h:8}-{h:4}-{h:4}-{h:4}-{h:12}",
    "postman-key": "PMAK-{h:24}-{h:34}",
}

IN_CONTEXT = {
    "aws-secret-key": ("{b:39}x", "aws_secret_access_key = %s"),
    "azure-storage-key": ("{b:86}==", "AccountName=fake;AccountKey=%s;EndpointSuffix=core"),
    "slack-webhook": ("T{A:10}/B{A:10}/{w:24}", "https://hooks.slack.com/services/%s"),
    "url-password": ("{w:14}", "postgres://app:%s@db.internal:5432/app"),
    "git-remote-token": ("{w:40}", "https://%s@github.com/fake/fake.git"),
    "bearer-token": ("{u:39}x", "Authorization: Bearer %s"),
    "authorization-header": ("{w:32}", "Authorization: Basic %s"),
    "cookie-header": ("{w:40}", "Cookie: session=%s"),
    "env-secret": ("{w:18}", "DB_PASSWORD=%s"),
    "quoted-secret": ("{w:24}", '"client_secret": "%s"'),
    "plain-secret": ("{l:6}{d:3}{w:12}", "password: %s"),
    "netrc-password": ("{w:12}", "machine git.test login fake password %s"),
    "command-secret": ("{w:16}", "tool --api-key %s run"),
    "email": ("{l:9}.{l:7}@{l:8}.test", "Author: Fake <%s>"),
    "phone": ("+49 30 {d:4} {d:4}", "call %s now"),
    "ipv4": ("198.51.100.1{d:1}", "connected to %s today"),
    "home-linux": ("{l:9}", "cd /home/%s/src"),
    "home-mac": ("{l:9}", "open /Users/%s/Documents"),
    "home-windows": ("{l:9}", r"dir C:\Users\%s\src"),
    "account-id": ("{h:8}-{h:4}-4{h:3}-8{h:3}-{h:12}", '"organizationUuid": "%s"'),
}

MADE: dict[str, Callable[[Random], str]] = {
    "github-token": lambda random: with_checksum("ghp_", random),
    "npm-token": lambda random: with_checksum("npm_", random),
    "private-key": private_key,
    "jwt": web_token,
}

FAMILIES = (*TOKENS, *IN_CONTEXT, *MADE)

COMMONEST = (
    "anthropic-api-key",
    "anthropic-oauth-token",
    "openai-key",
    "openai-project-key",
    "google-api-key",
    "aws-key",
    "github-token",
    "github-fine-grained-token",
    "gitlab-token",
    "slack-token",
    "stripe-key",
    "npm-token",
    "private-key",
    "jwt",
    "url-password",
)


def plant(family: str, random: Random) -> Planted:
    """Return one fake secret of a family."""
    if family in MADE:
        value = MADE[family](random)
        return Planted(family, value, value)
    if family in IN_CONTEXT:
        template, context = IN_CONTEXT[family]
        value = fill(template, random)
        return Planted(family, value, context % value)
    value = fill(TOKENS[family], random)
    return Planted(family, value, value)


def planted(seed: int, values: int = VALUES) -> Iterator[Planted]:
    """Yield `values` fake secrets of each family."""
    for family in FAMILIES:
        random = Random(f"{seed} {family}")  # noqa: S311 - fake secrets are meant to repeat
        yield from (plant(family, random) for _ in range(values))


def _in_text(one: Planted, _random: Random) -> list[str]:
    return [f"I found this in the settings:\n{one.text}\nPlease rotate it."]


def _in_json(one: Planted, _random: Random) -> list[str]:
    return [json.dumps({"type": "note", "body": f"first\n{one.text}\nlast"})]


def _in_nested_json(one: Planted, _random: Random) -> list[str]:
    return [json.dumps({"payload": json.dumps({"body": f"first\n{one.text}\nlast"})})]


def _in_url(one: Planted, _random: Random) -> list[str]:
    return [f"GET https://host.test/callback?state=1&note={quote('see ' + one.text, safe='')}&x=2 HTTP/1.1"]


def _in_base64(one: Planted, _random: Random) -> list[str]:
    return [f"data: {base64.b64encode(f'# settings {one.text} end'.encode()).decode()} (decoded above)"]


def _in_diff(one: Planted, _random: Random) -> list[str]:
    added = "\n".join(f"+{line}" for line in one.text.split("\n"))
    return [f"--- a/settings\n+++ b/settings\n@@ -1,2 +1,3 @@\n # comment\n{added}\n-old"]


def _coloured(one: Planted, random: Random) -> list[str]:
    middle = random.randint(1, len(one.value) - 1)
    value = f"\x1b[31m{one.value[:middle]}\x1b[1;32m{one.value[middle:]}\x1b[0m"
    return [f"\x1b[2m$ cat settings\x1b[0m\n{one.text.replace(one.value, value)}\n\x1b[2m$\x1b[0m"]


def _in_two_parts(one: Planted, random: Random) -> list[str]:
    at = one.text.index(one.value) + random.randint(1, len(one.value) - 1)
    return [f"The settings say {one.text[:at]}", f"{one.text[at:]} and nothing else."]


CONTAINERS: dict[str, Callable[[Planted, Random], list[str]]] = {
    "text": _in_text,
    "JSON string": _in_json,
    "JSON in JSON": _in_nested_json,
    "URL": _in_url,
    "base64": _in_base64,
    "diff": _in_diff,
    "coloured": _coloured,
    "two parts": _in_two_parts,
}


def reveals(parts: list[str], value: str) -> bool:
    """Return True if someone who undoes every container can still read half of the secret in a row."""
    return any(_holds_half(text, value) for text in _undone("".join(parts)))


def _undone(text: str) -> Iterator[str]:
    """Yield a text as it is, and without colours, marks of a diff, JSON, URL and base64."""
    bare = re.sub(r"\x1b\[[0-9;]*m", "", text)
    plain = bare.replace("\\\\n", "\n").replace("\\n", "\n").replace("\\", "")
    yield from (text, bare, plain, unquote(text), re.sub(r"\n\+", "\n", bare))
    for run in re.findall(r"[A-Za-z0-9+/]{16,}={0,2}", text):
        digits = run.rstrip("=")
        digits = digits[: len(digits) - (len(digits) % 4 == 1)]
        yield base64.b64decode(digits + "=" * (-len(digits) % 4), validate=False).decode("utf-8", "replace")


def _holds_half(text: str, value: str) -> bool:
    longest = max(value.split("\n"), key=len)
    length = max(6, (len(longest) + 1) // 2)
    return any(longest[start : start + length] in text for start in range(max(1, len(longest) - length + 1)))


LOOKALIKE_TEMPLATES = {
    "hash": ("sha256:{h:64}", "md5 {h:32}  file.tar", "{h:40}", '"hash":"{h:64}"', 'etag: W/"{h:32}"'),
    "uuid": ("{h:8}-{h:4}-4{h:3}-a{h:3}-{h:12}", '"sessionId":"{h:8}-{h:4}-4{h:3}-b{h:3}-{h:12}"'),
    "git": ("commit {h:40}", "index {h:7}..{h:7} 100644", "{h:7} Fix the parser", "git checkout {h:12}"),
    "message id": ("msg_01{w:22}", '"id":"msg_{w:24}"', "req_011C{w:20}"),
    "tool id": ("toolu_01{w:22}", '"tool_use_id":"toolu_{w:24}"', "toolu_vrtx_01{w:22}", "call_{w:24}"),
    "image": ("data:image/png;base64,iVBORw0KGgo{b:400}", "/9j/4AAQSkZJRgABAQAAAQ{b:600}", "R0lGODlh{b:120}"),
    "version": ("version 1.{d:2}.{d:1}", "v2.1.{d:3}", "python-3.{d:2}.{d:1}-py3-none-any.whl", "^{d:1}.{d:2}.{d:1}"),
    "lockfile": (
        '"integrity": "sha512-{b:86}=="',
        'hash = "sha256:{h:64}"',
        'resolved "https://registry.npmjs.org/left-pad/-/left-pad-1.{d:1}.0.tgz#{h:40}"',
        'checksum = "{h:64}"',
    ),
    "code": (
        "function {l:1}(e,t){{return e.password===t.token?{l:1}.secret:null}}var {l:1}={l:2}.apiKey;",
        "password: string; token?: string",
        "const token = await getToken({l:6})",
        "self.secret = secret_{l:5}",
        "max_tokens={d:4}, input_tokens: {d:5}",
        "@app.route('/{l:8}')",
        "import {{ {l:7} }} from '@scope/{l:9}'",
        "std::vector<{l:5}>::iterator {l:2};",
        "async login(refreshToken: string): Promise<{l:6}>",
        "app = App(token=settings.{l:6}_token)",
        "encrypt(data, privateKey: Uint8Array)",
        "background: url(icon-{l:5}@2x.png)",
        "npx {l:8}@1.{d:1}.0 --token-file {l:6}",
    ),
    "other": (
        "2026-11-{d:2}T10:{d:2}:0{d:1}.{d:3}Z",
        "https://docs.python.org/3/library/{l:8}.html#{l:6}.{l:6}",
        "rgb({d:2}, {d:2}, {d:2}) #{h:6}",
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{b:43}",
        "/usr/lib/{l:8}/{l:9}.so.{d:1}",
        "src/{l:8}/{l:12}.test.ts:{d:3}:{d:2}",
        "signature: EqQBCkYIBRgCKkD{b:200}",
        "trace {h:32} span {h:16}",
        "Chrome/120.0.{d:4}.{d:3} Safari/537.36",
        "task-{h:32} and disk-{w:40}",
        "cache key {h:32}-{d:6}, build 10.0.{d:5}.1",
    ),
}


def lookalikes(seed: int, count: int = LOOKALIKES) -> Iterator[tuple[str, str]]:
    """Yield kinds and texts that resemble secrets and are none."""
    random = Random(seed)  # noqa: S311 - look-alikes are meant to repeat
    kinds = list(LOOKALIKE_TEMPLATES)
    for number in range(count):
        kind = kinds[number % len(kinds)]
        yield kind, fill(random.choice(LOOKALIKE_TEMPLATES[kind]), random).replace("{{", "{").replace("}}", "}")
