"""A source that can be searched."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.memoryserver.search.notes import registered


@pytest.fixture
def notes() -> Iterator[None]:
    """The source `notes` can be searched."""
    with registered():
        yield
