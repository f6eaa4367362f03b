"""Searches start with nothing remembered."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from memoryserver.search.query_embedding import embedder
from tests.memoryserver.search.notes import registered


@pytest.fixture(autouse=True)
def nothing_remembered() -> Iterator[None]:
    embedder.forget()
    yield
    embedder.forget()


@pytest.fixture
def notes() -> Iterator[None]:
    """The source `notes` can be searched."""
    with registered():
        yield
