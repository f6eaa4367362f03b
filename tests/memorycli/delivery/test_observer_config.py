"""Fetching which observers run, from a real HTTP server."""

from __future__ import annotations

from typing import Any

import pytest

from memorycli.delivery import connection, observer_config
from memorycli.errors import CommandError
from memorycli.main import main
from memoryserver.client.http import RefusedError
from tests.support.api_server import HttpServer
from trajectory.local.config import resolve


def offer(server: HttpServer, configuration: object) -> list[str]:
    """Let the server offer version v1 of `configuration`; the paths that it is asked for are added to the list."""
    asked: list[str] = []

    def answer(method: str, path: str, body: Any) -> tuple[int, Any]:
        asked.append(path)
        if path.endswith("known=v1"):
            return 200, {"version": "v1", "unchanged": True}
        return 200, {"version": "v1", "unchanged": False, "configuration": configuration}

    server.answer = answer
    return asked


def test_configuration_is_fetched_once_and_used(server: HttpServer, capsys: pytest.CaptureFixture[str]) -> None:
    asked = offer(server, {"observers": {"repeat_call": {"enabled": False}}})
    client = connection.client(server.url, "t")
    assert observer_config.refresh("shop", client) == "fetched version v1"
    assert observer_config.refresh("shop", client) == "unchanged since the last time"
    assert ["known" in path for path in asked] == [False, True]
    assert main(["trajectory", "config"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("the server's configuration, version v1\n  Polling: after_repeats=10\n")
    assert "Repeated Call" not in shown


def test_configuration_that_cannot_be_used_changes_nothing(server: HttpServer) -> None:
    offer(server, {"observers": {"nobody": {}}})
    with pytest.raises(CommandError, match="is not used: there is no observer 'nobody'"):
        observer_config.refresh("shop", connection.client(server.url, "t"))
    assert resolve.cached("shop") == {}


def test_server_without_configurations_is_an_error(server: HttpServer) -> None:
    with pytest.raises(RefusedError, match="404"):
        observer_config.refresh("shop", connection.client(server.url, server.token))


def test_refresh_without_a_server_is_an_error_of_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["trajectory", "config", "--refresh"]) == 1
    assert "not logged in" in capsys.readouterr().err


def test_refresh_of_a_server_that_is_away_is_an_error_of_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    connection.store("http://127.0.0.1:1", "t")
    assert main(["trajectory", "config", "--refresh"]) == 1
    error = capsys.readouterr().err
    assert (error.count("\n"), "cannot be reached" in error) == (1, True)
