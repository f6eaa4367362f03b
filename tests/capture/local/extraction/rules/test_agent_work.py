"""Sentences with what agents decided and did, and how far they got."""

from __future__ import annotations

import pytest

from capture.local.transcripts.messages import Role
from tests.capture.local.extraction.rules.spoken import types_of


@pytest.mark.parametrize(
    ("kind", "sentence"),
    [
        ("decision", "We decided to use `sqlite` instead of Postgres because the tool runs offline."),
        ("handoff", "Handoff: the importer is done, only `export.py` does not write CSV yet."),
        ("handoff", "Remaining: `export.py` still uses the old `csv` dialect, and `import.py` has no tests."),
        ("refactoring", "Moved the validation from `views.py` into `forms.py` so that both commands share it."),
        ("refactoring", "Refactored `billing.py` into three modules for readers, rules and writers."),
        ("outcome", "The migration to `uv` failed because the mirror has no wheels for ARM."),
        ("outcome", "The benchmark of `search` took 41 s over 10 000 rows."),
    ],
)
def test_statement_is_a_learning_of_its_type(kind: str, sentence: str) -> None:
    assert types_of(Role.AGENT, sentence) == [kind]


@pytest.mark.parametrize(
    "sentence",
    [
        "Next: run the tests.",
        "I'll move the validation from `views.py` into `forms.py`.",
        "Should we decide to use `sqlite` instead of Postgres?",
    ],
)
def test_sentence_that_only_looks_like_one_is_no_learning(sentence: str) -> None:
    assert types_of(Role.AGENT, sentence) == []
