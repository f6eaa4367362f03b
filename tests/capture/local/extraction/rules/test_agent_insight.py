"""Sentences with figures, insights, and how things are done and tested in a project."""

from __future__ import annotations

import pytest

from capture.local.transcripts.messages import Role
from tests.capture.local.extraction.rules.spoken import types_of


@pytest.mark.parametrize(
    ("kind", "sentence"),
    [
        ("test", "The tests need a running Postgres on port 5433, since `conftest.py` creates the schema."),
        ("optimization", "Caching the templates reduced the startup of `web` from 4 s to 900 ms."),
        ("breakthrough", "The key insight was that `load()` is called once per row and not once per file."),
        ("learning", "It turns out that `glob` returns names in no particular order."),
        ("learning", "According to the docs, `fsync` on the folder is needed after `rename`."),
        ("learning", "We found that the lock of `queue.py` is held during the upload."),
        ("convention", "This project uses `structlog` for every log line, never `print`."),
    ],
)
def test_statement_is_a_learning_of_its_type(kind: str, sentence: str) -> None:
    assert types_of(Role.AGENT, sentence) == [kind]


@pytest.mark.parametrize(
    "sentence",
    [
        "The timeout of `client` went from 5 s to 10 s.",
        "I learned that I made a mistake.",
        "Caching the templates should reduce the startup from 4 s to 900 ms.",
    ],
)
def test_sentence_that_only_looks_like_one_is_no_learning(sentence: str) -> None:
    assert types_of(Role.AGENT, sentence) == []
