"""The sync that hooks start: a process of its own that nobody waits for, and that holds nothing of the agent's."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memorycli.delivery import compactions
from memorycli.hook import command, spawn
from memorycli.main import main
from memoryserver.client import context_cache, places
from memoryserver.common.hook_event import HookEvent
from tests.memorycli.hook.test_journal import begin, on_journal
from tests.support.agents.hook_process import Agent, agent_in
from tests.support.fakes.api_server import HttpServer, serving

LONG = 20.0  # seconds, far beyond what is needed


@pytest.fixture
def agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Agent]:
    yield from agent_in(tmp_path, monkeypatch)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[HttpServer]:
    with serving() as found:
        monkeypatch.setenv("MEMORYSERVER_URL", found.url)
        monkeypatch.setenv("MEMORYSERVER_TOKEN", found.token)
        yield found


def until(condition: Callable[[], object]) -> bool:
    deadline = time.monotonic() + LONG
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.02)
    return bool(condition())


def asked(server: HttpServer, path: str) -> int:
    return sum(request[1].partition("?")[0] == f"/api/v1{path}" for request in server.requests)


def test_stop_sends_what_there_is_without_a_word(agent: Agent, server: HttpServer) -> None:
    begin(agent)
    on_journal(agent, lambda journal: journal.abandon_ghap("x"))
    done = agent.process(agent.event("Stop", stop_hook_active=False))
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert until(lambda: server.entries.stored)


def test_server_that_never_answers_holds_up_neither_hook_nor_agent(agent: Agent, server: HttpServer) -> None:
    release = time.monotonic() + 6

    def slow(_method: str, _path: str, _body: object) -> tuple[int, object]:
        time.sleep(max(release - time.monotonic(), 0))
        return 503, {"detail": "late"}

    server.answer = slow
    begin(agent)
    on_journal(agent, lambda journal: journal.abandon_ghap("x"))
    # Reads until everybody who holds the other end of the pipes has let go of it.
    done = agent.process(agent.event("SessionEnd", reason="logout"))
    assert time.monotonic() < release
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert until(lambda: server.requests)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")
def test_child_has_a_session_of_its_own_and_no_descriptor_of_the_agent(
    agent: Agent, server: HttpServer, tmp_path: Path
) -> None:
    found: list[tuple[int, list[str]]] = []

    def is_child(folder: Path) -> bool:
        """Whether it is the sync of this agent, and not what that has just forked."""
        try:
            if b"background.child" not in (folder / "cmdline").read_bytes():
                return False
            parent = (folder / "stat").read_text().rpartition(")")[2].split()[1]
            is_fork = b"background.child" in Path("/proc", parent, "cmdline").read_bytes()
            return not is_fork and os.fsencode(agent.home) in (folder / "environ").read_bytes()
        except OSError:  # it has ended meanwhile
            return False

    reading, writing = os.pipe()
    os.set_inheritable(writing, True)

    def look(_method: str, _path: str, _body: object) -> tuple[int, object]:
        for folder in Path("/proc").iterdir():
            if folder.name.isdigit() and is_child(folder):
                opened = [os.readlink(link) for link in (folder / "fd").iterdir()]
                found.append((os.getsid(int(folder.name)) - int(folder.name), opened))
        return 503, {"detail": "later"}

    server.answer = look
    begin(agent)
    on_journal(agent, lambda journal: journal.abandon_ghap("x"))
    pipe = os.readlink(f"/proc/self/fd/{writing}")
    agent.process(agent.event("Stop"), pass_fds=[writing])
    assert until(lambda: found)
    os.close(reading)
    os.close(writing)
    session, opened = found[0]
    assert session == 0
    assert pipe not in opened
    assert opened.count("/dev/null") == 3


def test_turns_that_follow_closely_start_one_sync(agent: Agent, server: HttpServer) -> None:
    started = [spawn.start(agent.project) for _ in range(3)]
    assert started == [True, False, False]
    mark = agent.home / "sync.started"
    for age, pause, expected in ((10, 60, False), (10, 5, True), (90, 60, True), (-500, 60, True), (0, 0, True)):
        os.utime(mark, (time.time() - age,) * 2)
        assert spawn.start(agent.project, pause=pause) is expected


def test_end_of_a_session_is_sent_even_directly_after_a_turn(agent: Agent, server: HttpServer) -> None:
    agent.process(agent.event("Stop", stop_hook_active=False))
    agent.process(agent.event("SessionEnd", reason="other"))

    assert until(lambda: asked(server, "/context") == 2)


def test_laptop_without_a_server_only_keeps_what_waits_within_its_bound_once_an_hour(agent: Agent) -> None:
    assert [spawn.start(agent.project, pause=0.0) for _ in range(2)] == [True, False]
    for age, expected in ((1800, False), (3700, True)):
        os.utime(agent.home / "sync.started", (time.time() - age,) * 2)
        assert spawn.start(agent.project) is expected


def test_refused_token_is_in_the_log_of_the_hook(
    agent: Agent, server: HttpServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMORYSERVER_TOKEN", "another")
    begin(agent)
    on_journal(agent, lambda journal: journal.abandon_ghap("x"))
    agent.process(agent.event("Stop"))
    assert until(agent.log)
    assert "sync: journal: " in agent.log()
    (agent.home / "logs/hook.log").unlink()


def test_start_of_a_session_fetches_a_context_that_is_missing_or_old(agent: Agent, server: HttpServer) -> None:
    def answer(method: str, path: str, _body: object) -> tuple[int, object]:
        if path.startswith("/api/v1/context?"):
            return 200, {"project": "p", "generated_at": "x", "sections": [], "text": "Look at df first."}
        return (200, {"results": []}) if method == "POST" else (404, {})

    server.answer = answer
    assert agent.process(agent.event("SessionStart", source="startup")).stdout == b""
    assert until(lambda: context_cache.load(places.project_key(agent.project)))
    said = agent.said("SessionStart", source="startup")
    assert said.endswith("Look at df first.")
    (path,) = (agent.home / "context").glob("*.json")
    os.utime(path, (0, 0))
    os.utime(agent.home / "sync.started", (0, 0))
    before = asked(server, "/context")
    agent.process(agent.event("SessionStart", source="startup"))
    assert until(lambda: asked(server, "/context") > before)


def test_noted_compactions_are_sent_once(agent: Agent, server: HttpServer, capsys: pytest.CaptureFixture[str]) -> None:
    taken: list[object] = []

    def answer(method: str, path: str, body: object) -> tuple[int, object]:
        if path != "/api/v1/capture/compactions":
            return (404, {"detail": "Not Found"}) if method == "GET" else (200, {"results": []})
        taken.append(body)
        return 200, {"id": "x", "new": True}

    agent.said("SessionStart", source="startup")
    server.answer = answer
    compactions.record(HookEvent(agent.event("PreCompact", trigger="manual")), agent.project)
    assert main(["sync"]) == 0  # unless the sync that the session's start began in the background was faster
    capsys.readouterr()
    assert main(["sync"]) == 0
    said = capsys.readouterr().out
    assert "compactions: " not in said
    assert "context: not fetched: " in said
    assert len(taken) == 1
    assert isinstance(taken[0], dict)
    assert (taken[0]["context_id"], taken[0]["trigger"]) == ("claude-code-s", "manual")


def test_child_works_without_an_activated_environment(agent: Agent, server: HttpServer) -> None:
    begin(agent)
    on_journal(agent, lambda journal: journal.abandon_ghap("x"))
    names = ("MEMORYSERVER_HOME", "MEMORYSERVER_URL", "MEMORYSERVER_TOKEN")
    bare = {name: os.environ[name] for name in names} | {"HOME": str(agent.home), "PATH": "/nonexistent"}
    subprocess.run(command.argv(), input=json.dumps(agent.event("Stop")).encode(), env=bare, cwd="/", check=True)
    assert until(lambda: server.entries.stored)
