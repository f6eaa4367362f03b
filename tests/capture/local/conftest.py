"""Laptops for the tests of capture."""

from __future__ import annotations

from pathlib import Path

import pytest

from capture.local.transcripts import discovery
from tests.support.laptops.capture_laptop import Laptop, cause


@pytest.fixture(autouse=True)
def no_roots_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only those that a test names."""
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME", "APPDATA", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.delenv(discovery.ROOTS_VARIABLE, raising=False)


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
