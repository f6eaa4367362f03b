"""`memory mcp` ends with its agent while a call waits for a server that never answers, and blocks nobody afterwards."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memorycli.delivery import connection
from memoryserver.common import files
from tests.support.agents.mcp_agent import COMMAND, environment
from tests.support.fakes.delivery_server import delivery_server
from tests.support.fakes.silent_server import SilentServer, silent_server
from tests.support.laptops.laptop import Laptop

INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
}
CALLS: dict[str, dict[str, Any]] = {
    "search_memory": {"query": "x"},
    "store_learning": {"type": "gotcha", "content": "The export hangs while the backup runs"},
    "observation_append": {"type": "t.x", "message": "m"},
}
SAVED = ("store_learning", "observation_append")  # what they save on the laptop first, a later sync sends
# Starts the tools with the streams of its own, says their process id, and waits to be killed.
AGENT = f"""
import os, subprocess, sys, time
child = subprocess.Popen({COMMAND!r})
os.write(2, b"%d\\n" % child.pid)
time.sleep(600)
"""
LIMIT = 90.0  # seconds; a call may wait for ever for a server that trickles


@pytest.fixture
def laptop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Laptop:
    return Laptop(tmp_path, monkeypatch, capsys)


@pytest.fixture
def server(trickles: bool, laptop: Laptop) -> Iterator[SilentServer]:
    """The server of the laptop: it accepts requests, and never ends an answer."""
    with silent_server(trickles=trickles) as running:
        connection.store(running.url, "t")
        yield running


@pytest.mark.parametrize(
    ("tool", "trickles"),
    [("search_memory", False), ("search_memory", True), *((tool, True) for tool in SAVED)],
    ids=["search_memory, silent", "search_memory, trickling", *(f"{tool}, trickling" for tool in SAVED)],
)
def test_process_ends_with_its_standard_input_while_a_call_waits(
    laptop: Laptop, server: SilentServer, tool: str
) -> None:
    process = subprocess.Popen(
        COMMAND, env=environment(laptop.home), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdin is not None
    process.stdin.write(begin_and_call(tool))
    process.stdin.flush()
    server.wait_for_request()

    process.communicate(timeout=LIMIT)  # closes standard input

    assert process.returncode == 0
    assert_nobody_is_blocked(laptop, tool)


@pytest.mark.parametrize(
    ("tool", "trickles"),
    [(SAVED[0], False), (SAVED[1], True)],
    ids=[f"{SAVED[0]}, silent", f"{SAVED[1]}, trickling"],
)
def test_process_ends_with_a_parent_that_is_killed_while_a_call_waits(
    laptop: Laptop, server: SilentServer, tool: str
) -> None:
    """The streams stay open: another process may have them."""
    standard_input, to_tools = os.pipe()
    from_tools, standard_output = os.pipe()
    agent = subprocess.Popen(
        [sys.executable, "-c", AGENT],
        env=environment(laptop.home),
        stdin=standard_input,
        stdout=standard_output,
        stderr=subprocess.PIPE,
    )
    assert agent.stderr is not None
    tools = os.pidfd_open(int(agent.stderr.readline()))
    os.write(to_tools, begin_and_call(tool))
    server.wait_for_request()

    agent.send_signal(signal.SIGKILL)
    agent.wait()

    assert select.select([tools], [], [], LIMIT)[0] == [tools], "the tools have not ended"
    agent.stderr.close()
    for descriptor in (tools, standard_input, to_tools, from_tools, standard_output):
        os.close(descriptor)
    assert_nobody_is_blocked(laptop, tool)


def begin_and_call(tool: str) -> bytes:
    """Return the lines by which an agent begins and calls `tool`."""
    called = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": tool, "arguments": CALLS[tool]}}
    messages = [INITIALIZE, {"jsonrpc": "2.0", "method": "notifications/initialized"}, called]
    return b"".join(json.dumps(message).encode() + b"\n" for message in messages)


def assert_nobody_is_blocked(laptop: Laptop, tool: str) -> None:
    """Check that no lock is held and no temporary file is left, and that a sync sends what the call has saved."""
    for path in laptop.home.rglob("*.lock"):
        descriptor = files.try_lock(path)
        assert descriptor is not None, f"{path} is held"
        os.close(descriptor)
    assert list(laptop.home.rglob("*.tmp")) == []
    with delivery_server() as working:
        connection.store(working.url, "t")
        assert laptop("sync").status == 0
        assert len(working.arrived) == (1 if tool in SAVED else 0)
