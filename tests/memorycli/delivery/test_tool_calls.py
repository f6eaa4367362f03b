"""The line about recorded tool calls; test_channels.py has what each answer of the server means."""

from __future__ import annotations

from pathlib import Path

from memorycli.delivery import tool_calls
from memorycli.delivery.scope import Scope
from memoryserver.client.http import Client
from tests.support.fakes.api_server import HttpServer
from trajectory.local import recorder


def record(number: int) -> None:
    call: dict[str, object] = {"tool_name": "Read", "tool_input": {"n": number}, "result": "x", "session_id": "s"}
    recorder.record_report(call | {"tool_use_id": f"t{number}"}, Path.cwd())


def test_laptop_without_calls_has_nothing_new_and_asks_no_server(server: HttpServer, client: Client) -> None:
    report = tool_calls.deliver(client, Scope())

    assert (report.line, report.complete, server.requests) == ("nothing new", True, [])


def test_calls_wait_while_the_server_is_away(server: HttpServer, client: Client) -> None:
    record(1)
    server.answer = lambda *_: (503, {"detail": "closed for today"})

    report = tool_calls.deliver(client, Scope())

    assert (report.offline, report.complete) == (True, False)
    assert report.line.startswith("offline, tool calls wait: ")
    assert "closed for today" in report.line


def test_refused_calls_are_counted_with_the_last_reason(server: HttpServer, client: Client) -> None:
    record(1)
    server.answer = lambda *_: (422, {"detail": "no such tool"})

    report = tool_calls.deliver(client, Scope())

    assert (report.offline, report.complete) == (False, False)
    assert len(report.details) == 1
    assert report.details[0].startswith("last failure: ")
    assert "no such tool" in report.details[0]
