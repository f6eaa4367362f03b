"""No secret survives, however it is written down; what developers write otherwise loses nothing."""

from __future__ import annotations

import base64
import sysconfig
import time
import uuid
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memoryserver.common import redaction
from memoryserver.common.redaction import redact, redact_value
from tests.capture.local.extraction.labels import SETS, samples
from tests.support.examples import examples
from tests.support.requests.vendor_tokens import BREAKS, survives, vendor_secrets


@settings(max_examples=examples(250))
@given(vendor_secrets(), st.sampled_from(BREAKS), st.data())
def test_a_token_that_a_line_break_splits_does_not_survive(
    made: tuple[str, str, str], separator: str, data: st.DataObject
):
    _, secret, random = made
    if "/" in secret or "." in secret.replace("eyJ", "", 1)[:4]:
        return  # an address is not wrapped
    at = data.draw(st.integers(min_value=1, max_value=len(secret) - 1))
    redacted = redact(f"it is {secret[:at]}{separator}{secret[at:]}\nand so on")
    assert not survives(random, redacted.text)
    assert redacted.text.endswith("\nand so on")


@given(
    st.binary(min_size=60, max_size=400),
    st.sampled_from(
        ["RSA PRIVATE KEY", "PRIVATE KEY", "OPENSSH PRIVATE KEY", "EC PRIVATE KEY", "PGP PRIVATE KEY BLOCK"]
    ),
    st.sampled_from(["\n", "\r\n", "\\n", "\\r\\n", "\n  ", " "]),
    st.sampled_from(["whole", "no end", "no start"]),
)
def test_a_private_key_does_not_survive_whole_or_cut_off(content: bytes, label: str, separator: str, cut: str):
    body = base64.encodebytes(content).decode().strip().split("\n")
    head, tail = f"-----BEGIN {label}-----", f"-----END {label}-----"
    lines = {"whole": [head, *body, tail], "no end": [head, *body], "no start": [*body, tail]}[cut]
    redacted = redact(separator.join(lines))
    assert redacted.text == "[redacted:private-key]"
    assert redacted.counts == {"private-key": 1}


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("a <private>b\nc</private> d", "a [redacted:private] d"),
        ("a <PRIVATE>b</Private>c<private>d</private>", "a [redacted:private]c[redacted:private]"),
        ("a <private>never closed", "a [redacted:private]"),
        ("a \\u003cprivate\\u003eb\\u003c/private\\u003e c", "a [redacted:private] c"),
        ("a <private>b<\\/private> c", "a [redacted:private] c"),
        ('a <private reason="b">c</private> d', "a [redacted:private] d"),
        ("a <private >b</private > c", "a [redacted:private] c"),
        ("a < private >b< / private > c", "a [redacted:private] c"),
        ("a <private\n  note='b'>c</private\n> d", "a [redacted:private] d"),
        ("a <Private type=x>b</PRIVATE> c", "a [redacted:private] c"),
        ("a <private/>b", "a [redacted:private]"),
        ("a <private />b</private> c", "a [redacted:private] c"),
        ("a <private>b<private/>c</private> d", "a [redacted:private] d"),
        ("a <private reason='b", "a [redacted:private]"),
        ("a <private>b<private>c</private>d</private> e", "a [redacted:private] e"),
        ("a <private>b<private>c</private> d", "a [redacted:private]"),
        ("the cut-off start</private> b", "[redacted:private] b"),
        ("a &lt;private&gt;b&lt;/private&gt; c", "a [redacted:private] c"),
        ("a &lt;private x=&quot;1&quot;&gt;b&lt;/private &gt; c", "a [redacted:private] c"),
        ("a &amp;lt;private&amp;gt;b&amp;lt;/private&amp;gt; c", "a [redacted:private] c"),
        ("a &#60;private&#62;b&#x3c;/private&#x3E; c", "a [redacted:private] c"),
        ("a %3Cprivate%3Eb%3C%2Fprivate%3E c", "a [redacted:private] c"),
        ("a ＜private＞b＜/private＞ c", "a [redacted:private] c"),
        ("text between `<private>` tags", "text between `[redacted:private]"),
        ("<privateKey>a</privateKey>", "<privateKey>a</privateKey>"),
        ("if rank < private_rank or rank < private:", "if rank < private_rank or rank < private:"),
    ],
)
def test_what_is_marked_private_is_cut(text: str, left: str):
    assert redact(text).text == left


@pytest.mark.parametrize("sign", ["=", " = ", ":", " := ", "=>", "%3D", "%3d", "\\u003D", "\\u003d"])
def test_value_that_is_assigned_to_a_secret_name_is_cut(sign: str):
    assert redact(f"access_token{sign}Zq8vT2mWx9LkR4").text == f"access_token{sign}[redacted:token]"


def test_what_was_redacted_does_not_change_when_it_is_redacted_again():
    text = "a <private>b</private> c </private> d ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8 password=hunter2hunter2"
    redacted = redact(text).text
    assert redact(redacted).text == redacted


TOKEN = "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
CUT = "[redacted:github-token]"


@pytest.mark.parametrize(
    ("value", "redacted"),
    [
        (TOKEN, CUT),
        ({"a": [{"b": (TOKEN, 1)}]}, {"a": [{"b": (CUT, 1)}]}),
        ({TOKEN: "a"}, {CUT: "a"}),
        ({TOKEN: 1, TOKEN + "x": 2, CUT: 3}, {f"{CUT} 2": 1, f"{CUT} 3": 2, CUT: 3}),
        ({"password": "s3cr3tPw99"}, {"password": "[redacted:password]"}),
        ({"api_key": "0f1e2d3c" * 4}, {"api_key": "[redacted:api-key]"}),
        ({"password": "$PASSWORD", "token": "your-token"}, {"password": "$PASSWORD", "token": "your-token"}),
        ({"a": "<private>b"}, {"a": "[redacted:private]"}),
        ([None, True, 1, 1.5], [None, True, 1, 1.5]),
    ],
    ids=["text", "nested", "key", "keys that become one", "named", "named digest", "placeholders", "private", "others"],
)
def test_every_text_of_a_nested_value_is_redacted(value: object, redacted: object):
    assert redact_value(value) == redacted
    assert redact_value(redacted) == redacted


@given(st.binary(min_size=32, max_size=32), st.uuids(), st.datetimes())
def test_ids_digests_and_times_stay_as_they_are(digest: bytes, identifier: uuid.UUID, moment: datetime):
    names = ("id", "session_id", "content_digest", "params_hash", "signature", "project", "message_uuid", "cursor")
    for text in (digest.hex(), digest.hex()[:40], str(identifier)):
        value = {**dict.fromkeys(names, text), "created_at": moment.isoformat() + "Z"}
        assert redact_value(value) == value


@given(
    st.text(st.characters(codec="utf-8", exclude_characters="<>＜＞﹤﹥‹›&%\\"), min_size=1, max_size=80),
    st.sampled_from(["<private>{}</private>", "<Private>{}</PRIVATE>", "<private>{}", "\\u003cprivate\\u003e{}"]),
    st.sampled_from(["{}", "before {}", "a\n{}", "\u201c{}\u201d"]),
)
def test_nothing_between_private_tags_survives(text: str, tags: str, around: str):
    secret = f"Q{text}Q7"
    redacted = redact(around.format(tags.format(secret)))
    assert secret not in redacted.text
    assert redacted.counts["private"] == 1


ORDINARY = """\
token = next(tokens)
password: str
def login(user: str, password: str = "") -> Token:
self.token = token
max_tokens=4096
"input_tokens": 12345, "cache_read_input_tokens": 0
{"token_type": "bearer", "expires_in": 3600}
api_key=os.environ["API_KEY"]
const token = await getAccessToken(user.id);
SECRET_KEY = env("SECRET_KEY")
PASSWORD=$PASSWORD
export TOKEN=$(cat /run/secrets/token)
DB_PASSWORD=${DB_PASSWORD:?unset}
password: "{{ vault_password }}"
token: <your-token>
API_KEY=your-api-key-here
"password": "********"
password=changeme
curl -H "Authorization: Bearer $TOKEN" https://api.example.com
Authorization: Bearer <token>
use bearer authentication
postgres://user:password@localhost:5432/db
postgres://$USER:$PASSWORD@$HOST/db
git clone git@github.com:acme/shop.git
https://github.com/acme/shop/pull/42
ssh://git@host:22/repo
http://127.0.0.1:8000/api/v1/capture/queue-files
The password must have at least 12 characters.
The token is invalid or has expired.
Password: enter it below
the secret is that nobody reads the manual
if token == expected_token:
tokens: list[str] = []
tokenizer = AutoTokenizer.from_pretrained("gpt2")
primary_key=True, unique_together=["a", "b"]
PRIMARY_KEY=id
cache_key = f"user:{user_id}:v2"
key: value
sort_key: created_at
public_key: ssh-ed25519
commit 9877e045709794be3d0377907b64ad8d16ce7a5e
sha256:b00616fb663a18712f2e4a9d6d2a7bfe1c3a0a9e8f7d6c5b4a39281706f5e4d3
uuid 607f6a8a-0b75-4bce-8525-75454c4337e0
task-1234567890abcdefghijklmnop
ask-me-anything-about-risk-and-desk
toolu_01ABCdefGHIjklMNOpqrSTU
sk-learn, sklearn and risk-free
pk_test_publishable keys are public
eyJ is how a JWT starts
AKIA is how an access key starts
npm_config_registry=https://registry.npmjs.org
test_password_is_hashed PASSED
authorization = self.headers.get("authorization")
authorization = authorization.split(':')
auth: required
--password and --username are optional
mysql -u root -p
docker run -e PASSWORD image
chmod 600 ~/.ssh/id_rsa
-----BEGIN CERTIFICATE-----
data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk
import { token } from './theme/tokens';
color: var(--token-color-primary-500);
basic usage: see below
Cookie: yes
cookie = request.cookies.get("sid")
signature = inspect.signature(function)
authors = ["A. Person <a@example.com>"]
line\\nnext_line\\nthird
[redacted:github-token] and password=[redacted:password]
"""


@pytest.mark.parametrize("line", ORDINARY.splitlines())
def test_ordinary_developer_text_loses_nothing(line: str):
    assert (redact(line).text, redact(line).counts) == (line, {})


def test_all_ordinary_lines_together_lose_nothing():
    assert redact(ORDINARY).text == ORDINARY


@pytest.mark.parametrize("which", SETS)
def test_what_people_and_agents_say_to_each_other_loses_nothing(which: str):
    texts = [message.text for sample in samples(which) for message in sample.messages]
    assert [text for text in texts if redact(text).text != text] == []


@pytest.mark.parametrize(
    "name",
    ["getpass", "netrc", "ftplib", "smtplib", "imaplib", "ssl", "secrets", "tokenize", "http/server", "configparser"],
)
def test_the_source_of_the_standard_library_loses_nothing(name: str):
    text = Path(sysconfig.get_path("stdlib"), f"{name}.py").read_text("utf-8")
    assert redact(text).text == text


@settings(max_examples=examples(60))
@given(
    st.lists(
        st.one_of(st.sampled_from(ORDINARY.split("\n")), vendor_secrets().map(lambda made: made[1]), st.text()),
        max_size=8,
    )
)
def test_redacting_what_is_redacted_changes_nothing(parts: list[str]):
    once = redact("\n".join(parts))
    twice = redact(once.text)
    assert (twice.text, twice.counts) == (once.text, {})


@given(st.text())
def test_any_text_is_taken_without_an_error(text: str):
    assert sum(redact(text).counts.values()) >= 0


LONG = [
    "a",
    "password",
    "key=",
    "<private",
    "-u ",
    "eyJ.",
    "://:",
    "\n",
    "token is ",
    "AccountKey=%2B",
    "ghp_\n",
    "\\/",
]


@pytest.mark.parametrize("piece", LONG)
def test_a_text_that_is_four_times_as_long_takes_no_more_than_its_share(piece: str):
    def cost(length: int) -> float:
        text = piece * (length // len(piece))
        best = 1e9
        for _ in range(3):
            start = time.process_time()
            redact(text)
            best = min(best, time.process_time() - start)
        return best

    # Quadratic time would be 16 times as much; a millisecond is what a timer and a first call may add.
    assert cost(120_000) < 8 * cost(30_000) + 0.001


SPLIT_TOKEN = "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


@pytest.mark.parametrize("sign", ["\x1b", "\\u001b", "\\u001B", "\\x1b", "\\033", "\\e"], ids=ascii)
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"ESC[01;31mESC[Kghp_ESC[mESC[K{SPLIT_TOKEN[4:]} found", "[redacted:github-token] found"),
        (f"{SPLIT_TOKEN[:9]}ESC[0m{SPLIT_TOKEN[9:]}", "[redacted:github-token]"),
        ("<priESC[1mvate>zebra</private> x", "[redacted:private] x"),
        ("password=ESC[32mhunter2-Hunter2ESC[0m", "password=[redacted:password]"),
        ("Authorization: ESC[32mBearer ESC[33mabcDEF123456ghiJKL7890ESC[0m", "Authorization: Bearer [redacted:"),
        ("ESC[31mno secretESC[0m", "ESC[31mno secretESC[0m"),
    ],
)
def test_colours_of_a_terminal_hide_no_secret(text: str, expected: str, sign: str) -> None:
    redacted = redact(text.replace("ESC", sign)).text

    assert redacted.startswith(expected.replace("ESC", sign))
    assert redact(redacted).text == redacted


def test_values_of_every_kind_are_redacted() -> None:
    redacted = "[redacted:github-token]"
    value = {
        "bytes": b"\xff " + SPLIT_TOKEN.encode(),
        "array": bytearray(SPLIT_TOKEN.encode()),
        "set": {SPLIT_TOKEN},
        "frozen": frozenset([SPLIT_TOKEN]),
        ("key", SPLIT_TOKEN): [(SPLIT_TOKEN, {SPLIT_TOKEN: 1})],
        7: None,
    }

    assert redact_value(value) == {
        "bytes": b"\xff " + redacted.encode(),
        "array": redacted.encode(),
        "set": {redacted},
        "frozen": frozenset([redacted]),
        ("key", redacted): [(redacted, {redacted: 1})],
        7: None,
    }


def test_short_text_without_a_secret_is_remembered_and_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(redaction, "_harmless", set())
    secrets = [f"token {SPLIT_TOKEN}", "password=hunter2-Hunter2", "<private>zebra</private>"]
    texts = [[redact(text).text for text in ("src/export.py", *secrets, "a " * 200)] for _ in range(2)]

    assert texts[0] == texts[1]
    assert redaction._harmless == {"src/export.py"}


def test_number_of_remembered_texts_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(redaction, "_harmless", set())
    for number in range(5000):
        redact(f"src/export_{number}.py")

    assert len(redaction._harmless) == 5000 - 4096
