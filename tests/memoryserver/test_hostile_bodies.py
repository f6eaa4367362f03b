"""Whatever takes the place of a value in a body, the API answers, and refuses by a problem: it never fails."""

from __future__ import annotations

import copy
import gzip
import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from capture.deliveries import IncomingLearning
from capture.sink import store_by_hand
from memoryserver.accounts import tokens
from memoryserver.accounts.models import User
from tests.memoryserver.test_write_paths import Operation, operations

DEEP = "as deep as the body is long"
VALUES = st.one_of(
    st.sampled_from(["\0", "\ud800", "\udfff\ud800", "a\0\ud83d", "\u202e" * 9, "x" * 200_000, "1e999", DEEP]),
    st.sampled_from([None, True, -1, 0, 2**31, 2**63, -(2**63) - 1, 10**400, 1e308, float("inf"), float("nan")]),
    st.sampled_from([[], {}, [[]], {"": {"\0": "\ud800"}}, ["\0"] * 3, "9999-99-99T99:99:99Z", "0000-01-01T00:00:00Z"]),
    st.text(max_size=20),
    st.integers(),
    st.floats(),
)
Place = tuple[Any, ...]


def places(value: Any, here: Place = ()) -> Iterator[Place]:
    """The place of each value in a body, as the keys that lead to it."""
    yield here
    pairs: Any = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in pairs:
        yield from places(inner, (*here, key))


def replaced(body: Any, place: Place, value: Any) -> Any:
    """A copy of the body with `value` at the place."""
    if not place:
        return value
    result = inner = copy.deepcopy(body)
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = value
    return result


def text_of(body: Any) -> bytes:
    text = json.dumps(body).replace(json.dumps(DEEP), "[" * 20_000 + "]" * 20_000)
    return text.encode()


@pytest.fixture
def client(alice: User) -> Client:
    _, text = tokens.issue(alice, "hostile")
    return Client(headers={"authorization": f"Bearer {text}"}, raise_request_exception=False)


@pytest.fixture
def learning(alice: User) -> int:
    row, _ = store_by_hand(alice, None, IncomingLearning("gotcha", "The cache must be emptied.", 1.0, 0))
    assert row is not None
    return row.pk


@pytest.mark.parametrize("operation", list(operations()))
def test_no_value_in_a_body_makes_the_api_fail(operation: Operation, client: Client, learning: int) -> None:
    method, path, body = operation
    address = path.replace("{key}", str(learning))

    @settings(max_examples=12, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
    @given(place=st.sampled_from(list(places(body))), value=VALUES, packed=st.booleans())
    def send(place: Place, value: Any, packed: bool) -> None:
        content = text_of(replaced(body, place, value))
        answer = client.generic(
            method.upper(),
            address,
            gzip.compress(content) if packed else content,
            content_type="application/json",
            headers={"content-encoding": "gzip"} if packed else {},
        )
        assert answer.status_code < 500, (place, value, answer.content[:300])
        if answer.status_code >= 400:
            assert answer.headers["Content-Type"].startswith("application/problem+json"), answer.content[:300]

    send()
