"""Sentences with flaws and traps that agents found."""

from __future__ import annotations

import pytest

from capture.local.transcripts.messages import Role
from tests.capture.local.extraction.rules.spoken import types_of


@pytest.mark.parametrize(
    ("kind", "sentence"),
    [
        ("security", "The endpoint `/export` is vulnerable to SQL injection through the `sort` parameter."),
        ("security", "The API token was logged in plain text by `middleware.py`."),
        ("gotcha", "Note that `sort_index` returns a new frame and leaves the old one."),
        ("gotcha", "The `--fast` flag doesn't work when `cache` is disabled."),
        ("gotcha", "`git clean -fdx` deletes ignored files too, not only those in `build/`."),
        ("gotcha", "Migrations must be applied before `seed.py` runs."),
        ("gotcha", "`upsert()` is not idempotent when `key` is empty."),
    ],
)
def test_statement_is_a_learning_of_its_type(kind: str, sentence: str) -> None:
    assert types_of(Role.AGENT, sentence) == [kind]


@pytest.mark.parametrize(
    "sentence",
    [
        "The webhook `/pay` is idempotent.",
        "Note that I changed `config.py`.",
    ],
)
def test_sentence_that_only_looks_like_one_is_no_learning(sentence: str) -> None:
    assert types_of(Role.AGENT, sentence) == []
