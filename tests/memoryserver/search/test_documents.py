"""What a document is called, and how long it is."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, replace
from datetime import UTC, datetime

import pytest

from memoryserver.search.documents import Document

DOCUMENT = Document(
    source="notes",
    key="a/b",
    kind="note",
    title="Größe",
    text="Größe 日本",
    user="alice",
    project=None,
    created_at=datetime(2026, 1, 2, tzinfo=UTC),
    details={},
)


def test_id_is_source_and_key() -> None:
    assert DOCUMENT.id == "notes/a/b"


@pytest.mark.parametrize(("text", "size"), [("", 0), ("Größe 日本", 8)], ids=["empty", "characters, not bytes"])
def test_size_is_counted_in_characters(text: str, size: int) -> None:
    assert replace(DOCUMENT, text=text).size == size


def test_document_belongs_to_no_timeline_unless_it_says_so_and_is_not_changed() -> None:
    assert (DOCUMENT.project_id, DOCUMENT.threads) == (None, frozenset())
    with pytest.raises(FrozenInstanceError):
        DOCUMENT.text = "another"  # type: ignore[misc]
