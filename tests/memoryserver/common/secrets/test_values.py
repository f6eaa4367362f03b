"""What stands after a name such as `password`: a secret, or code, a word, a placeholder."""

from __future__ import annotations

import base64
import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memoryserver.common.redaction import redact
from memoryserver.common.secrets.values import HEADER, LITERAL, PASSWORD, USUAL, VAGUE, is_secret, secret_name
from tests.support.examples import examples
from tests.support.requests.vendor_tokens import WORD, survives

PASSWORDS = st.text(WORD + "!#*+-_^~", min_size=8, max_size=40).filter(
    lambda text: (
        any(char.isdigit() for char in text)
        and any(char.isalpha() for char in text)
        and len(set(text)) > 4
        and text[0].isalnum()
        and text[-1].isalnum()
        # What could as well be the name of a variable is not told from one.
        and not re.fullmatch(r"[A-Za-z]+\d{0,2}", text)
        and not ("_" in text and text.replace("_", "").isalnum())
        and not any(word in text.lower() for word in ("your", "example", "xxxx", "todo", "insert", "replace", "dummy"))
    )
)


@pytest.mark.parametrize("separator", ["\n", "\r\n", "\\n", "\\r\\n", "\\t"])
def test_value_that_looks_like_a_name_is_a_secret_on_a_line_of_a_file_of_environment_variables(separator: str) -> None:
    text = separator.join(["PORT=8000", "API_TOKEN=A0-AA012", "LAST=1"])

    assert redact(text).text == separator.join(["PORT=8000", "API_TOKEN=[redacted:token]", "LAST=1"])


@pytest.mark.parametrize("escape", ["\\u000a", "\\x0A"])
def test_name_behind_a_numbered_escape_is_one_of_a_file_of_environment_variables(escape: str) -> None:
    assert redact(f"PORT=8000{escape}API_TOKEN=A0-AA012").text == f"PORT=8000{escape}API_TOKEN=[redacted:token]"


@settings(max_examples=examples(100))
@given(
    st.lists(
        st.tuples(st.sampled_from(["DB_PASSWORD", "API_TOKEN", "SECRET_KEY", "APP_SECRET"]), st.data()), max_size=4
    ),
    st.sampled_from(["", "export ", "  "]),
    st.sampled_from(["\n", "\r\n", "\\n"]),
)
def test_a_file_of_environment_variables_keeps_all_but_its_secrets(
    secrets: list[tuple[str, st.DataObject]], before: str, separator: str
):
    values = [(name, data.draw(PASSWORDS)) for name, data in secrets]
    plain = ["DEBUG=true", "PORT=8000", "DATABASE_HOST=db.internal", "LOG_LEVEL=info", "# local only"]
    lines = [*plain, *(f"{before}{name}={value}" for name, value in values), "LAST=1"]
    redacted = redact(separator.join(lines))
    assert [value for _, value in values if value in redacted.text] == []
    kept = redacted.text.split(separator)
    assert [line for line in (*plain, "LAST=1") if line not in kept] == []
    assert sum(redacted.counts.values()) == len(values)


HOLDERS = [
    "postgres://app:{}@db.internal:5432/shop",
    "redis://:{}@cache:6379/0",
    "https://ci:{}@git.example/repo.git",
    "DATABASE_URL=mysql://root:{}@localhost/x",
    '{{"url": "amqp:\\/\\/u:{}@h"}}',
    "DB_PASSWORD={}",
    "export SECRET_KEY='{}'",
    'password = "{}"',
    "password: {}",
    'self.password: str = "{}"',
    '{{\\"password\\": \\"{}\\"}}',
    "db_password => '{}'",
    "curl -u bob:{} https://h",
    "mysql --password={} shop",
    "login --password {} --user bob",
    "the password is {}",
    'PGPASSWORD="{}" psql',
]


@settings(max_examples=examples(250))
@given(PASSWORDS, st.sampled_from(HOLDERS), st.booleans())
def test_a_password_in_an_address_an_assignment_or_an_option_does_not_survive(
    password: str, holder: str, escaped: bool
):
    text = holder.format(password)
    redacted = redact(json.dumps(text) if escaped else text)
    assert password not in redacted.text
    assert sum(redacted.counts.values()) == 1


TOKENS = st.text(WORD, min_size=20, max_size=64).filter(
    lambda text: (
        sum(char.isdigit() for char in text[4:-4]) > 2
        and sum(char.isalpha() for char in text[4:-4]) > 2
        and len(set(text)) > 5
        and "xxxx" not in text
    )
)


@settings(max_examples=examples(60))
@given(
    TOKENS,
    st.sampled_from(
        [
            "Authorization: Bearer {}",
            "curl -H 'Authorization: Bearer {}' h",
            '{{"Authorization": "token {}"}}',
            "authorization={}",
            "GET /x?access_token={}&a=b",
            "https://h/?api_key={}",
            "https://h/?a=b%26token%3D{}",
            "API_KEY={}",
            "  STRIPE_API_KEY: {}",
            '"apiKey": "{}"',
            "x-api-key: {}",
            '"client_secret": "{}",',
            "authToken: '{}'",
            "Set-Cookie: sid={}; Path=/",
            "--token {} --verbose",
            "const accessToken = `{}`;",
            "$env:GH_TOKEN = \"{}\"",
        ]
    ),
)  # fmt: skip
def test_a_token_without_a_form_of_its_own_does_not_survive_where_its_place_tells(token: str, holder: str):
    redacted = redact(holder.format(token))
    assert not survives(token, redacted.text)
    assert sum(redacted.counts.values()) == 1


def test_basic_authentication_is_cut_by_what_it_decodes_to():
    credential = base64.b64encode(b"user:pass").decode()
    assert redact(f"Authorization: Basic {credential}").text == "Authorization: Basic [redacted:authorization]"
    assert redact("Authorization: Basic realms").counts == {}


@pytest.mark.parametrize(
    ("name", "kind", "firmness"),
    [
        ("password", "password", PASSWORD),
        ("dbPassword", "password", PASSWORD),
        ("client_secret", "secret", USUAL),
        ("accessToken", "token", USUAL),
        ("API_KEY", "api-key", USUAL),
        ("license_key", "api-key", USUAL),
        ("lookup_key", "api-key", VAGUE),
        ("signature", "secret", VAGUE),
    ],
)
def test_name_gives_the_kind_and_how_sure_it_is(name: str, kind: str, firmness: str) -> None:
    assert secret_name(name, env_line=False) == (kind, firmness)


@pytest.mark.parametrize(
    "name", ["", "user", "key", "primary_key", "publicKey", "token_type", "max_tokens", "password_hash", "tokenizer"]
)
def test_name_of_something_else_gives_no_kind(name: str) -> None:
    assert secret_name(name, env_line=False) == ("", "")


def test_capital_name_in_a_line_of_an_env_file_is_sure() -> None:
    names = ("DB_PASSWORD", "PASS", "SECRET_KEY", "token")
    assert [secret_name(name, env_line=True)[1] for name in names] == [LITERAL, LITERAL, LITERAL, USUAL]
    assert secret_name("PASS", env_line=False) == ("password", PASSWORD)
    assert secret_name("DB_PASS", env_line=True) == ("password", LITERAL)
    assert secret_name("two_pass", env_line=False) == ("", "")


@pytest.mark.parametrize(
    ("value", "firmness", "quoted", "expected"),
    [
        ("sunshine", LITERAL, False, True),
        ("settings.TOKEN", LITERAL, False, False),
        ("hunter2", PASSWORD, False, True),
        ("sunshine", PASSWORD, False, False),
        ("sunshine", PASSWORD, True, True),
        ("sunny", PASSWORD, True, False),
        ("12345678", PASSWORD, False, False),
        ("new_token", USUAL, False, False),
        ("accessToken", USUAL, False, False),
        ("a1b2c3d4", USUAL, False, True),
        ("a1b2c3d", USUAL, False, False),
        ("a1b2c3d4", VAGUE, False, False),
        ("a1b2c3d4e5f6a7b8c9d0", VAGUE, False, True),
        ("dXNlcjpwYXNz", HEADER, False, True),
        ("dXNlcjpwYXNz", VAGUE, False, False),
    ],
)
def test_value_is_judged_by_how_sure_its_place_is(value: str, firmness: str, quoted: bool, expected: bool) -> None:
    assert is_secret(value, firmness, quoted=quoted) is expected


@pytest.mark.parametrize(
    "value",
    [
        "abc",
        "aaaabbbb",
        "two words",
        "password",
        "<token>",
        "$TOKEN",
        "your-token-1",
        "changeme1",
        "./a1b2c3",
        "xxxx1y",
    ],
)
def test_word_placeholder_or_path_is_never_a_secret(value: str) -> None:
    assert [is_secret(value, firmness, quoted=True) for firmness in (LITERAL, PASSWORD, HEADER, USUAL, VAGUE)] == [
        False
    ] * 5


def test_punctuation_behind_a_bare_value_is_not_part_of_it() -> None:
    assert [is_secret("abc.:", LITERAL, quoted=quoted) for quoted in (False, True)] == [False, True]
