"""A laptop without problems, and a server it may be logged in to."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.fakes.api_server import HttpServer
from tests.support.laptops.doctor import current_server, healthy_laptop
from tests.support.laptops.laptop import Laptop


@pytest.fixture
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Iterator[Laptop]:
    with healthy_laptop(tmp_path, monkeypatch, capsys) as laptop:
        yield laptop


@pytest.fixture
def server(memory: Laptop) -> Iterator[HttpServer]:
    with current_server() as server:
        yield server
