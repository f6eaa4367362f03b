"""The state of this laptop that each sync sends."""

from __future__ import annotations

import platform
from pathlib import Path
from typing import Any

import pytest

from memorycli.delivery import laptop_state
from memoryserver import __version__
from memoryserver.client.http import Client
from memoryserver.client.outbox import Outbox
from tests.support.fakes.api_server import serving


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MEMORYSERVER_HOME", str(tmp_path))
    return tmp_path


def reported(answer: Any) -> tuple[str, Any]:
    """The line about the report, and what the server received."""
    bodies: list[Any] = []

    def respond(method: str, path: str, body: Any) -> tuple[int, Any]:
        bodies.append(body)
        return 200, answer

    with serving() as server:
        server.answer = respond
        line = laptop_state.report(Client(server.url, "t"))
    return line, bodies[0]


def test_id_is_made_once_and_survives(home: Path) -> None:
    first = laptop_state.client_id()

    assert (len(first), laptop_state.client_id()) == (32, first)


def test_damaged_file_gets_a_new_id(home: Path) -> None:
    (home / "client.json").write_text("{")

    assert laptop_state.client_id() == laptop_state.client_id() != ""


def test_report_counts_what_waits_and_failed(home: Path) -> None:
    outbox = Outbox(home, "observations")
    outbox.add("a", {})
    outbox.add("b", {})
    outbox.set_aside("c", {}, "refused")

    line, body = reported({"too_old": False})

    assert line == "reported"
    assert body == {
        "client_id": laptop_state.client_id(),
        "name": platform.node(),
        "version": __version__,
        "waiting": 2,
        "failed": 1,
        "capture_runs": False,
    }


def test_server_that_finds_the_client_too_old_is_passed_on() -> None:
    line, _ = reported({"too_old": True, "server_version": "9.9.0"})

    how = "pip install --upgrade memorycli (or memoryserver, beside the server)"
    assert line == f"this client ({__version__}) is too old for the server 9.9.0; to update: {how}"


def test_older_server_that_does_not_name_its_version_is_understood() -> None:
    assert "is too old for the server; to update" in reported({"too_old": True})[0]
