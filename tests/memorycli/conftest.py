"""A laptop on which the tests of `memory` run its commands."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.laptops.laptop import Laptop


@pytest.fixture
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Laptop:
    """The command `memory` in a home folder and a project of the test's own."""
    return Laptop(tmp_path, monkeypatch, capsys)
