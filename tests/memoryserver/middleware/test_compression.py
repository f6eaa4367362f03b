from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from memoryserver.accounts.models import User

PATH = "/api/v1/observations"
BODY = json.dumps(
    {"observations": [{"type": "t", "source": "a:b", "message": "grüße", "id": "0197a6f0-0000-7000-8000-000000000001"}]}
).encode()


@pytest.fixture
def client(alice: User, api: Callable[[User | None], Client]) -> Client:
    return api(alice)


def post(client: Client, body: bytes, encoding: str = "gzip") -> Any:
    return client.post(PATH, body, content_type="application/json", headers={"content-encoding": encoding})


@pytest.mark.parametrize(
    ("body", "encoding"),
    [
        (gzip.compress(BODY, mtime=0), "gzip"),
        (gzip.compress(BODY, mtime=0), "GZIP"),
        (BODY, "identity"),
        (gzip.compress(BODY, 0, mtime=0), "x-gzip"),
    ],
)
def test_body_is_the_same_packed_or_not(body: bytes, encoding: str, client: Client) -> None:
    answer = post(client, body, encoding)

    assert (answer.status_code, answer.json()["results"][0]["status"]) == (200, "stored")


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (BODY, 400),
        (b"", 400),
        (gzip.compress(BODY, mtime=0)[:-1], 400),
        (gzip.compress(BODY, mtime=0) + b"x", 400),
        (zlib.compress(BODY), 400),
        (gzip.compress(b"no JSON", mtime=0), 422),
    ],
)
def test_body_that_is_no_gzip_is_a_problem(body: bytes, status: int, client: Client) -> None:
    answer = post(client, body)

    assert (answer.status_code, answer["Content-Type"]) == (status, "application/problem+json")


@pytest.mark.parametrize("encoding", ["br", "deflate", "zstd", "gzip, gzip", "x" * 1000])
def test_other_encodings_are_a_problem_that_names_what_is_taken(encoding: str, client: Client) -> None:
    answer = post(client, BODY, encoding)

    assert (answer.status_code, "use gzip or none" in answer.json()["detail"]) == (415, True)


def test_bomb_is_refused_without_unpacking_it(client: Client, settings: Any) -> None:
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 100_000
    bomb = gzip.compress(bytes(50_000_000))
    assert len(bomb) < 100_000

    answer = post(client, bomb)

    assert (answer.status_code, "send smaller batches" in answer.json()["detail"]) == (413, True)


def test_body_of_just_the_limit_is_taken(client: Client, settings: Any) -> None:
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = len(BODY)
    assert post(client, gzip.compress(BODY)).status_code == 200

    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = len(BODY) - 1
    assert post(client, gzip.compress(BODY)).status_code == 413


def test_packed_body_above_the_limit_is_refused(client: Client, settings: Any) -> None:
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 10

    assert post(client, gzip.compress(BODY)).status_code == 413
