"""Fetching which observers run, from a real HTTP server."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from memorycli.delivery import connection, observer_config
from memorycli.errors import CommandError
from memorycli.main import main
from memoryserver.client.http import RefusedError
from tests.support.fakes.api_server import HttpServer
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
    first, polling, *others = capsys.readouterr().out.splitlines()
    assert first == f"the server's configuration, version v1, kept in {resolve.cache_path('shop')}"
    assert polling == "  Polling: poll_threshold=10, budget_share=0.25 (default); due by after_repeats=3"
    assert others[-1] == "  repeat_call: turned off (server, version v1)"
    assert [line for line in others if "Repeated Call" in line] == []


def test_report_shows_each_threshold_with_where_it_comes_from() -> None:
    of_team = {"observers": {"repeat_call": {"settings": {"repetition_threshold": 4}}}}
    of_project = {"observers": {"repeat_call": {"settings": {"repetition_threshold": 2}, "tell": False}}}
    layers = [
        {"scope": "team crew", "version": 3, "configuration": of_team},
        {"scope": "project shop", "version": 1, "configuration": of_project},
    ]
    resolve.save("shop", "v1", of_project, layers)
    assert list(observer_config.report(Path.cwd()))[1] == (
        "  Repeated Call: window_size=10 (default); repetition_threshold=2 (project shop, version 1); "
        "due by after_repeats=2; written, not told"
    )


def test_report_without_a_configuration_shows_the_defaults() -> None:
    first, repeated, *others = observer_config.report(Path.cwd())
    assert first == "the default set of observers"
    assert repeated == "  Repeated Call: window_size=10, repetition_threshold=3 (default); due by after_repeats=3"
    assert others[-1] == "  Ignored Feedback: call_threshold=3 (default); due by while_told; written, not told"


def test_layers_of_the_server_are_kept_beside_the_configuration(server: HttpServer) -> None:
    body = {"observers": {"poll": {"enabled": False}}}
    layers = [{"scope": "user alice", "version": 1, "configuration": body}]
    server.answer = lambda *_: (200, {"version": "v1", "unchanged": False, "configuration": body, "layers": layers})
    observer_config.refresh("shop", connection.client(server.url, "t"))
    assert resolve.cached("shop")["layers"] == layers


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
