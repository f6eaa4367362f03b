"""A queue's folder, and a sink that keeps what is delivered."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.capture.local.queue.test_processor import MemorySink


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "learning_queue"


@pytest.fixture
def sink() -> MemorySink:
    return MemorySink()
