"""A laptop without problems for tests of the doctor, and what the doctor finds on it."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from capture.local.service import heartbeat
from memorycli.delivery import connection
from memorycli.doctor import checks
from memoryserver import __version__
from memoryserver.common import clock
from tests.support.agents.agent_settings import isolated_laptop
from tests.support.fakes.api_server import HttpServer, serving
from tests.support.laptops.laptop import Laptop


@contextmanager
def healthy_laptop(root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Iterator[Laptop]:
    """A laptop with Claude Code, the hooks in its settings, and a capture daemon that is running."""
    laptop = isolated_laptop(root, monkeypatch, capsys)
    (Path.home() / ".claude").mkdir()
    laptop("install", "claude-code")
    with heartbeat.daemon_lock(laptop.home):
        write_heartbeat(laptop)
        yield laptop


@contextmanager
def current_server() -> Iterator[HttpServer]:
    """A server of the client's own version, to which the laptop is logged in."""
    with serving() as server:
        server.version = __version__
        connection.store(server.url, server.token)
        yield server


def write_heartbeat(laptop: Laptop, *, age: float = 0.0, error: str = "") -> None:
    """Write the capture daemon's heartbeat as it was `age` seconds ago."""
    moment = clock.to_text(clock.from_text(clock.to_text(clock.now())))
    if age:
        moment = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - age))
    heartbeat.write(laptop.home, heartbeat.Heartbeat(os.getpid(), moment, moment, error, 1))


def findings(*, offline: bool = True) -> dict[str, list[tuple[str, str]]]:
    """The problem and the fix of each finding, by the name of its check; checks without findings are left out."""
    results = checks.examine(offline=offline)
    return {name: [(item.what, item.fix) for item in items] for name, items in results.items() if items}


def only_finding(check: str) -> tuple[str, str]:
    """The problem and the fix of the only finding, which must be of `check`."""
    results = findings()
    assert list(results) == [check]
    [(what, fix)] = results[check]
    return what, fix


def settings_path(scope: str = "") -> Path:
    """Claude Code's settings file, the user's or the project's (`scope` "" or ".local")."""
    return Path.home() / ".claude" / "settings.json" if not scope else Path(".claude") / f"settings{scope}.json"
