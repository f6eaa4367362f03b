"""Keys and tokens that are known by their own form, however they are written down."""

from __future__ import annotations

import json
import urllib.parse
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memoryserver.common.redaction import redact
from memoryserver.common.secrets import kinds as secret_kinds
from tests.support.examples import examples
from tests.support.requests.vendor_tokens import VENDORS, WORD, survives, vendor_secrets

ENCODINGS: dict[str, Callable[[str], str]] = {
    "plain": lambda secret: f"use {secret} for it",
    "alone": lambda secret: secret,
    "quoted": lambda secret: f'key = "{secret}"',
    "json": lambda secret: json.dumps({"command": f"export X={secret}\nnext"}),
    "json twice": lambda secret: json.dumps(json.dumps({"a": f"\n{secret}"})),
    "after an escaped break": lambda secret: f"first\\n{secret}\\nlast",
    "in a query": lambda secret: f"https://h.example/p?x=1&t={secret}&y=2",
    "quoted for a query": lambda secret: "https://h.example/?q=" + urllib.parse.quote(f"t={secret}"),
    "in a path": lambda secret: f"https://h.example/{secret}/x",
    "markdown": lambda secret: f"`{secret}`, see **{secret}**.",
    "header": lambda secret: f"curl -H 'X-Token: {secret}' https://h.example",
    "json three times": lambda secret: json.dumps(json.dumps(json.dumps({"a": f"x\n{secret}\ny"}))),
    "json with escaped slashes": lambda secret: json.dumps({"a": secret}).replace("/", "\\/"),
    "after an escaped tab": lambda secret: json.dumps(f"\t{secret}\tx"),
    "all of it quoted": lambda secret: "https://h.example/?next=" + urllib.parse.quote(secret, safe=""),
    "quoted twice": lambda secret: "/?next=" + urllib.parse.quote(urllib.parse.quote(secret, safe=""), safe=""),
    "in a fragment": lambda secret: f"https://h.example/#access_token={secret}&x=1",
    "as a user": lambda secret: f"git clone https://{secret}@github.com/acme/shop.git",
    "as a user's password": lambda secret: f"https://x-access-token:{secret}@github.com/acme/shop.git",
    "in colour": lambda secret: f"\x1b[32m{secret}\x1b[0m",
    "in colour, as json": lambda secret: json.dumps(f"\x1b[1;32m{secret}\x1b[0m"),
    "numbered": lambda secret: f"    12\u2192{secret}",
    "in a diff": lambda secret: f"@@ -1 +1 @@\n-{secret}\n+x",
    "in html": lambda secret: f"<code>{secret}</code>",
}


@settings(max_examples=examples(300))
@given(vendor_secrets(), st.sampled_from(sorted(ENCODINGS)))
def test_a_vendors_token_does_not_survive_in_any_encoding(made: tuple[str, str, str], encoding: str):
    _, secret, random = made
    redacted = redact(ENCODINGS[encoding](secret))
    assert not survives(random, redacted.text)
    assert sum(redacted.counts.values()) >= 1


# Their alphabet has the letters that an address and some writers of JSON escape.
IN_BASE64 = [
    ("azure-key", "DefaultEndpointsProtocol=https;AccountName=a;AccountKey=", 86),
    ("webhook-secret", "whsec_", 32),
    ("grafana-token", "glc_", 60),
    ("sentry-token", "sntrys_", 80),
    ("fly-token", "FlyV1 fm2_", 120),
]
AS_DOTNET = str.maketrans({"+": "\\u002B", "=": "\\u003D", "&": "\\u0026"})


@settings(max_examples=examples(75))
@given(
    st.sampled_from(IN_BASE64),
    st.data(),
    st.sampled_from(
        [
            lambda text: text,
            json.dumps,
            lambda text: json.dumps(text).replace("/", "\\/"),
            lambda text: json.dumps(text).translate(AS_DOTNET),
            lambda text: "https://h.example/?x=" + urllib.parse.quote(text, safe=""),
            lambda text: "https://h.example/?x=" + urllib.parse.quote(text),
        ]
    ),
)
def test_a_token_in_base64_does_not_survive_whatever_of_it_is_escaped(
    row: tuple[str, str, int], data: st.DataObject, written: Callable[[str], str]
):
    kind, before, length = row
    random = data.draw(st.text(WORD + "+/", min_size=length, max_size=length))
    redacted = redact(written(before + random))
    assert redacted.counts.get(kind, 0) >= 1
    plain = urllib.parse.unquote(redacted.text.replace("\\/", "/").replace("\\u002B", "+"))
    assert not survives(random, plain)


@given(st.lists(vendor_secrets(), min_size=1, max_size=5))
def test_what_was_cut_is_counted_by_kind_and_never_shown(made: list[tuple[str, str, str]]):
    redacted = redact("\n".join(f"{number}. {secret} ." for number, (_, secret, _) in enumerate(made)))
    kinds = [kind for kind, _, _ in made]
    assert redacted.counts == {kind: kinds.count(kind) for kind in kinds}
    shown = f"{redacted.counts} {redacted!r}"
    assert [random for _, _, random in made if survives(random, shown)] == []


@pytest.mark.parametrize("row", VENDORS, ids=lambda row: row[1])
def test_each_kind_is_named_and_counted_and_what_stands_around_it_stays(row: tuple[str, str, str, int, str]):
    kind, before, alphabet, length, after = row
    secret = before + (alphabet * 20)[7 : 7 + length] + after
    redacted = redact(f"first {secret} and {secret} last")
    start = "https://" if kind == "slack-webhook" else ""
    assert redacted.text == f"first {start}[redacted:{kind}] and {start}[redacted:{kind}] last"
    assert redacted.counts == {kind: 2}


@given(vendor_secrets())
def test_token_is_found_by_one_of_the_kinds_that_its_text_hints_at(made: tuple[str, str, str]) -> None:
    name, secret, _ = made
    kinds = secret_kinds.hinted(secret.lower())
    assert name in [kind.name for kind in kinds if kind.pattern().search(secret)]


def test_text_without_a_hint_is_of_no_kind() -> None:
    assert secret_kinds.hinted("let us count the rows of the table") == []


def test_hinted_kinds_come_once_and_in_their_order() -> None:
    names = [kind.name for kind in secret_kinds.hinted("msv_ ghp_ gho_ ghp_")]
    assert names == ["github-token", "memoryserver-token"]


def test_kinds_whose_length_their_form_states_are_not_open_ended() -> None:
    assert {"aws-key", "npm-token", "memoryserver-token"}.isdisjoint(secret_kinds.OPEN_ENDED)
    assert {"jwt", "openai-key", "slack-token"} <= secret_kinds.OPEN_ENDED


def test_every_hint_is_lower_case_as_the_text_it_is_looked_for_in() -> None:
    assert [hint for kind in secret_kinds.CREDENTIALS for hint in kind.hints if hint != hint.lower()] == []


AWS_PAIRS = {
    "file of credentials": "Access key ID,Secret access key\n{key},{secret}\n",
    "aws configure": "AWS Access Key ID [None]: {key}\nAWS Secret Access Key [None]: {secret}\nDefault region name:",
    "colon": "use {key}:{secret} there",
    "sentence": "AWS key {key} with secret {secret} logs in",
    "secret first": "the secret {secret} is of {key}",
    "json in json": json.dumps(json.dumps({"a": "{key}\n{secret}\n"})),
    "in a query": "https://h.example/?id={key}&x={secret}&y=2",
}


@settings(max_examples=examples(100))
@given(st.data(), st.sampled_from(sorted(AWS_PAIRS)), st.sampled_from(["as it is", "json", "in a query"]))
def test_secret_of_aws_beside_the_id_of_its_key_is_cut(data: st.DataObject, form: str, escaped: str) -> None:
    secret = data.draw(st.text(WORD + "+/", min_size=37, max_size=37)) + "aB3"
    written = {"json": secret.replace("/", "\\/"), "in a query": urllib.parse.quote(secret, safe="")}.get(
        escaped, secret
    )
    text = AWS_PAIRS[form].replace("{secret}", written).replace("{key}", "AKIAX7QPLM2ZRT5VKW3B")

    redacted = redact(text)

    around = AWS_PAIRS[form].replace("{key}", "[redacted:aws-key]")
    assert redacted.text == around.replace("{secret}", "[redacted:aws-secret]")
    assert redacted.counts == {"aws-key": 1, "aws-secret": 1}
    assert redact(redacted.text).text == redacted.text


@pytest.mark.parametrize(
    "text",
    [
        "[redacted:aws-key] of commit 3f785a1c0b7be04d2b1a8d60e3ff0d5a6c2b9e17",
        "[redacted:aws-key] in src/app/billing/handlers/check_out_forms.py",
        f"[redacted:aws-key] {'x' * 201} kR8v2nQ+Zt/4uYhG7mPqWx3LbEoCjDfTsA9iN0Va",
        "kR8v2nQ+Zt/4uYhG7mPqWx3LbEoCjDfTsA9iN0Va is the hash of an image",
        "[redacted:aws-key] kR8v2nQ+Zt/4uYhG7mPqWx3LbEoCjDfTsA9iN0VaX and kR8v2nQ+Zt/4uYhG7mPqWx3LbEoCjDfTsA9iN0V",
    ],
)
def test_what_is_no_secret_of_aws_stays(text: str) -> None:
    assert redact(text).text == text
