"""Numbers with their nouns."""

from __future__ import annotations

import pytest

from memoryserver.common.counted import counted, counted_kind


@pytest.mark.parametrize(("number", "line"), [(0, "0 files"), (1, "1 file"), (2, "2 files"), (12_345, "12,345 files")])
def test_noun_agrees_with_the_number(number: int, line: str) -> None:
    assert counted(number, "file") == line


@pytest.mark.parametrize(("number", "line"), [(1, "1 entry"), (2, "2 entries")])
def test_irregular_plural_is_given(number: int, line: str) -> None:
    assert counted(number, "entry", "entries") == line


@pytest.mark.parametrize(
    ("number", "kind", "line"),
    [(1, "session_ends", "1 session end"), (2, "session_ends", "2 session ends"), (1, "ghap_entries", "1 ghap entry")],
)
def test_kind_of_the_outbox_is_in_words(number: int, kind: str, line: str) -> None:
    assert counted_kind(number, kind) == line
