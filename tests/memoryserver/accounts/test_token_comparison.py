"""What the time of a refusal can tell of a token: nothing, by the way it is compared.

The text is never compared. It is looked up by a digest with the server's key, so a text that is right in more places
has a digest that is not: an index that ends sooner or later tells of the digest, which nobody can aim at without the
key. That is checked here, not the clock.
"""

from __future__ import annotations

import hashlib
import hmac
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memoryserver.accounts import tokens
from memoryserver.accounts.models import ApiToken, User


def near(text: str, place: int) -> str:
    """A well-formed token that differs from `text` in one character of its secret."""
    secret = text[len(tokens.PREFIX) : -6]
    other = "a" if secret[place] != "a" else "b"
    secret = secret[:place] + other + secret[place + 1 :]
    return tokens.PREFIX + secret + tokens._checksum(secret)


def keyed_digest(text: str, key: str) -> str:
    return hmac.new(key.encode(), text.encode(), hashlib.sha256).hexdigest()


def statements_of(text: str) -> list[str]:
    with CaptureQueriesContext(connection) as captured:
        assert tokens.authenticate(text) is None
    return [query["sql"] for query in captured]


@pytest.mark.parametrize("place", [0, 20, 39], ids=["the first character", "one in the middle", "the last character"])
def test_wrong_token_is_looked_up_by_its_keyed_digest_alone(place: int, alice: User, settings: Any) -> None:
    _, text = tokens.issue(alice, "laptop")
    wrong = near(text, place)

    (sql,) = statements_of(wrong)

    digests = [keyed_digest(each, settings.SECRET_KEY) for each in (text, wrong)]
    assert (digests[1] in sql, wrong[4:-6] in sql, digests[0] in sql) == (True, False, False)
    assert digests[0][:12] != digests[1][:12]


def test_digest_without_the_servers_key_is_another(alice: User, settings: Any) -> None:
    token, text = tokens.issue(alice, "laptop")

    assert token.digest == keyed_digest(text, settings.SECRET_KEY)
    assert token.digest not in (hashlib.sha256(text.encode()).hexdigest(), keyed_digest(text, "another key"))
    assert ApiToken._meta.get_field("digest").unique


def test_every_refusal_costs_the_same_statement(alice: User) -> None:
    revoked, text = tokens.issue(alice, "revoked")
    tokens.revoke(revoked)

    (known,), (unknown,) = statements_of(text), statements_of(near(text, 39))

    assert known.partition("ANY")[0] == unknown.partition("ANY")[0]


def test_checksum_is_compared_in_constant_time(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[tuple[bytes, bytes]] = []
    in_constant_time = hmac.compare_digest

    def recorded(first: bytes, second: bytes) -> bool:
        compared.append((first, second))
        return in_constant_time(first, second)

    monkeypatch.setattr(hmac, "compare_digest", recorded)
    secret = "a" * 40

    assert not tokens.is_well_formed(f"{tokens.PREFIX}{secret}000000")
    assert compared == [(b"000000", tokens._checksum(secret).encode())]
