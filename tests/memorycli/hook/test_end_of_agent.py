"""Hooks, and the sync that they start, end within seconds of an agent that is killed, and leave no lock behind."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from memorycli.delivery import connection, sync
from memorycli.hook import command
from memorycli.main import main
from memoryserver.common import files
from tests.memorycli.hook.test_journal import begin, on_journal
from tests.support.agents.hook_process import Agent, agent_in
from tests.support.fakes.api_server import serving
from tests.support.fakes.silent_server import silent_server

LIMIT = 90.0  # seconds; nothing here would end by itself
# Starts the hook with the standard input of its own, says its process id, and waits to be killed.
PROGRAM = f"""
import os, subprocess, sys, time
child = subprocess.Popen({command.argv()!r})
os.write(2, b"%d\\n" % child.pid)
time.sleep(600)
"""


@pytest.fixture
def agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Agent]:
    yield from agent_in(tmp_path, monkeypatch)


@contextmanager
def hook_of_killed_agent(event: bytes, ready: list[int]) -> Iterator[int]:
    """Start an agent whose hook gets `event` on an input that stays open, and kill it once the hook runs.

    Yields a descriptor that can be read when the hook has ended; `ready` gets the hook's process id before the kill.
    """
    standard_input, writing = os.pipe()
    agent = subprocess.Popen([sys.executable, "-c", PROGRAM], stdin=standard_input, stderr=subprocess.PIPE)
    assert agent.stderr is not None
    ready.append(int(agent.stderr.readline()))
    hook = os.pidfd_open(ready[0])
    os.write(writing, event)
    try:
        agent.send_signal(signal.SIGKILL)
        agent.wait()
        yield hook
    finally:
        agent.stderr.close()
        for descriptor in (hook, standard_input, writing):
            os.close(descriptor)


def has_ended(process: int) -> bool:
    return select.select([process], [], [], LIMIT)[0] == [process]


def assert_no_lock_is_held(agent: Agent) -> None:
    paths = [*agent.home.rglob("*.lock"), *agent.journal.rglob("*.lock")]
    for path in paths:
        descriptor = files.try_lock(path)
        assert descriptor is not None, f"{path} is held"
        os.close(descriptor)


@pytest.mark.parametrize("sent", ["", '{"hook_event_name": "Stop", "cwd": "'], ids=["nothing", "half"])
def test_hook_ends_though_the_agent_was_killed_before_the_event_was_sent(agent: Agent, sent: str) -> None:
    begin(agent)

    with hook_of_killed_agent(sent.encode(), []) as hook:
        assert has_ended(hook)

    assert_no_lock_is_held(agent)
    (agent.home / "logs/hook.log").unlink(missing_ok=True)


def test_sync_of_a_killed_agent_ends_while_the_server_goes_on_answering(
    agent: Agent, capsys: pytest.CaptureFixture[str]
) -> None:
    begin(agent)
    on_journal(agent, lambda journal: journal.abandon_ghap("x"))
    event = json.dumps(agent.event("SessionEnd", reason="other")).encode()

    with silent_server(trickles=True) as server:
        connection.store(server.url, "t")
        with hook_of_killed_agent(event, []) as hook:
            server.wait_for_request()
            background = os.pidfd_open(int(sync.lock_path().read_text()))  # its holder
            assert has_ended(hook)
            assert has_ended(background)
    os.close(background)

    assert_no_lock_is_held(agent)
    assert "sync: ended after 15 s; the next one sends the rest" in agent.log()
    with serving() as working:
        connection.store(working.url, working.token)
        assert main(["sync"]) == 0
    assert "journal: 1 sent" in capsys.readouterr().out
    (agent.home / "logs/hook.log").unlink()
