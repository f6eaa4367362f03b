"""Limits that a test can reach, and no index left behind."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.db import connection

from memoryserver.search import engine
from memoryserver.vectors import indexes
from tests.memoryserver.vectors.made import all_indexes


@pytest.fixture
def small_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """What takes an index from 10,000 records on takes one from 10 on."""
    monkeypatch.setattr(indexes, "EXACT_UP_TO", 10)
    monkeypatch.setattr(engine, "EXACT_UP_TO", 10)


@pytest.fixture
def no_index_is_left(transactional_db: None) -> Iterator[None]:
    """Indexes are no rows: the database is not emptied of them."""
    yield
    with connection.cursor() as cursor:
        for name in all_indexes(valid=None):
            cursor.execute(f"DROP INDEX {name}")
