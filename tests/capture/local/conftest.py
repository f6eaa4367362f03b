"""Laptops for the tests of capture."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.capture.local.laptop import Laptop, cause


@pytest.fixture
def laptop(tmp_path: Path) -> Laptop:
    return Laptop(tmp_path)


@pytest.fixture
def captured(laptop: Laptop) -> Laptop:
    """A laptop with ten messages captured: learnings 1 to 10."""
    for number in range(1, 11):
        laptop.transcript.agent(cause(number))
    laptop.scan()
    return laptop
