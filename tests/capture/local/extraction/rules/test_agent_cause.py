"""Sentences with what was wrong, and how it was fixed or worked around."""

from __future__ import annotations

import pytest

from capture.local.transcripts.messages import Role
from tests.capture.local.extraction.rules.spoken import types_of


@pytest.mark.parametrize(
    ("kind", "sentence"),
    [
        ("solution", "The root cause was that `parse()` drops the zone."),
        ("solution", "The deadlock in `pool.py` was due to two workers taking the locks in a different order."),
        ("solution", "The flaky upload was caused by `retry()` reusing the closed stream."),
        ("solution", "Fixed the crash in `import.py` by checking for an empty header first."),
        ("error_recovery", "The build failed until `LANG` was set to `C.UTF-8` in the Dockerfile."),
        ("error_recovery", "Worked around the missing wheel by building `lxml` from source in the image."),
        ("error_recovery", "I restored `config.yml` by checking out the last tag from `origin`."),
    ],
)
def test_statement_is_a_learning_of_its_type(kind: str, sentence: str) -> None:
    assert types_of(Role.AGENT, sentence) == [kind]


@pytest.mark.parametrize(
    "sentence",
    [
        "The root cause is still unknown.",
        "Fixed the typo in the README.",
        "Let me find the root cause of the crash in `parse()`.",
    ],
)
def test_sentence_that_only_looks_like_one_is_no_learning(sentence: str) -> None:
    assert types_of(Role.AGENT, sentence) == []
