"""A laptop with Claude Code, all of it well, and the server it may have."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from capture.local.service import heartbeat
from memorycli.delivery import connection
from memoryserver import __version__
from tests.memorycli.doctor.wrongs import beat
from tests.support.api_server import HttpServer, serving
from tests.support.laptop import Laptop


@pytest.fixture
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Laptop:
    """A laptop with Claude Code, all of it well."""
    user = tmp_path / "user ü"
    (user / ".claude").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(user))
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME"):
        monkeypatch.delenv(name, raising=False)
    memory = Laptop(tmp_path, monkeypatch, capsys)
    memory("install", "claude-code")
    return memory


@pytest.fixture(autouse=True)
def capturing(memory: Laptop) -> Iterator[None]:
    with heartbeat.alone(memory.home):
        beat(memory)
        yield


@pytest.fixture
def server(memory: Laptop) -> Iterator[HttpServer]:
    with serving() as running:
        running.version = __version__
        connection.store(running.url, running.token)
        yield running
