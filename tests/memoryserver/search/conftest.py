"""Searches start with nothing remembered."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from memoryserver.search.query_embedding import embedder


@pytest.fixture(autouse=True)
def nothing_remembered() -> Iterator[None]:
    embedder.forget()
    yield
    embedder.forget()
