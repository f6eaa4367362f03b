"""A laptop with a home folder and a project, and a server that it can send to."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memorycli.delivery import connection
from memoryserver.client.http import Client
from tests.memorycli.commands.test_ghap import RESOLVE, START
from tests.support.fakes.api_server import HttpServer, serving
from tests.support.laptops.laptop import SETTINGS, Laptop


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The laptop's home folder, which does not exist yet; the current folder is the project `shop`."""
    for name in (*SETTINGS, "MEMORYSERVER_NOTIFY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("MEMORYSERVER_HOME", str(tmp_path / "home"))
    (tmp_path / "shop/.git").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "shop")
    return tmp_path / "home"


@pytest.fixture
def server() -> Iterator[HttpServer]:
    with serving() as running:
        yield running


@pytest.fixture
def client(server: HttpServer) -> Client:
    return connection.client(server.url, server.token)


@pytest.fixture
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Laptop:
    """The `memory` command in a project of its own."""
    return Laptop(tmp_path, monkeypatch, capsys)


@pytest.fixture
def entry(memory: Laptop, server: HttpServer) -> str:
    """A resolved entry of a laptop that is logged in."""
    connection.store(server.url, server.token)
    started: str = memory(*START, "--json").json()["id"]
    memory(*RESOLVE)
    return started
