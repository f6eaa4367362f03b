"""`memory log` against the server itself, over HTTP."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest_django.live_server_helper import LiveServer

from memorycli.delivery import connection, observations
from memoryserver.accounts import tokens
from memoryserver.accounts.models import User
from memoryserver.client.outbox import Outbox
from obslog import log
from obslog.models import Observation
from tests.support.laptops.laptop import Laptop
from tests.support.rows.observations import MOMENT, new

OFFLINE = "http://127.0.0.1:9"
MESSAGE = ["the task moved on", "--type", "task.updated"]


@pytest.fixture
def alice(transactional_db: None) -> User:
    return User.objects.create(username="alice")


@pytest.fixture
def online(memory: Laptop, live_server: LiveServer, alice: User) -> str:
    """Logged in as Alice; the server's address."""
    _, token = tokens.issue(alice, "laptop")
    connection.store(live_server.url, token)
    return str(live_server.url)


def cursor_in(said: str) -> str:
    return said.rpartition("cursor ")[2].strip() if "--cursor " in said else said.rpartition("cursor: ")[2].strip()


@pytest.mark.usefixtures("online")
def test_append_is_in_the_log_with_all_that_was_said(memory: Laptop, alice: User) -> None:
    said = memory(
        *("log", "append", *MESSAGE, "--source", "agent:a1", "--details", "-", "--data", '{"n": 1}'),
        *("--scope", "task-1", "--scope", "ü"),
        stdin=b"line one\nline two\n",
    )

    row = Observation.objects.get(source="agent:a1")
    assert (said.status, said.out, said.err) == (0, f"{row.pk}\n", "")
    assert (row.user, row.type, row.message) == (alice, "task.updated", "the task moved on")
    assert (row.details, row.data, row.scope_ids) == ("line one\nline two", {"n": 1}, ["project ü", "task-1", "ü"])


@pytest.mark.usefixtures("online")
def test_append_of_an_agent_is_about_its_session_too(
    memory: Laptop, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", "s-1")
    memory("log", "append", *MESSAGE, "--scope", "task-17")

    assert Observation.objects.get(user=alice, message=MESSAGE[0]).scope_ids == ["project ü", "session:s-1", "task-17"]


@pytest.mark.usefixtures("online")
def test_append_offline_is_kept_and_goes_with_the_next_one(memory: Laptop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORYSERVER_URL", OFFLINE)
    monkeypatch.setenv("MEMORYSERVER_TOKEN", "msv_x")
    first = memory("log", "append", *MESSAGE)
    assert (first.status, first.err.startswith("kept for the next `memory sync`: ")) == (0, True)
    assert not Observation.objects.filter(type="task.updated").exists()
    time.sleep(0.01)
    monkeypatch.delenv("MEMORYSERVER_URL")
    monkeypatch.delenv("MEMORYSERVER_TOKEN")

    second = memory("log", "append", *MESSAGE)

    kept = [str(row.pk) for row in Observation.objects.filter(type="task.updated").order_by("id")]
    assert kept == [first.out.strip(), second.out.strip()]
    assert Outbox(memory.home, "observations").waiting() == []


def test_append_before_any_login_is_kept(memory: Laptop) -> None:
    said = memory("log", "append", *MESSAGE)

    assert (said.status, said.err) == (0, "kept for the next `memory sync`: not logged in; run: memory login URL\n")
    assert [path.stem for path in Outbox(memory.home, "observations").waiting()] == [said.out.strip()]


@pytest.mark.usefixtures("online")
def test_sync_sends_what_was_kept_in_batches(memory: Laptop, live_server: LiveServer) -> None:
    waiting = memory.home / "outbox/observations"
    waiting.mkdir(parents=True)
    for number in range(501):  # without `add`, which would wait for the disk each time
        content = {"type": "task.updated", "source": "agent:a", "message": str(number)}
        (waiting / f"{number:04}.json").write_text(json.dumps(content))

    assert "observations: 501 sent" in memory("sync").out.splitlines()
    assert memory("sync").out == f"Nothing new: {live_server.url} has everything.\n"
    assert Observation.objects.filter(type="task.updated").count() == 501


@pytest.mark.usefixtures("online")
def test_append_that_is_refused_says_why_and_is_not_kept(memory: Laptop) -> None:
    said = memory("log", "append", *MESSAGE, "--source", "nowhere")

    assert (said.status, said.out) == (1, "")
    assert said.err == "memory: refused: source must be category:identifier, such as agent:abc123\n"
    outbox = Outbox(memory.home, "observations")
    assert (outbox.waiting(), outbox.failed()) == ([], [])
    assert "outbox" not in memory("status").err


@pytest.mark.usefixtures("online")
def test_one_that_breaks_its_batch_is_found_and_holds_up_no_other(memory: Laptop) -> None:
    """Data too deep for any JSON reader lets the server refuse the whole request."""
    outbox = Outbox(memory.home, "observations")
    for number in range(6):
        outbox.add(f"{number}", {"type": "task.updated", "source": "agent:a", "message": str(number)})
    deep = '{"type": "task.updated", "source": "agent:a", "message": "deep", "data": ' + "[" * 900 + "]" * 900 + "}"
    (memory.home / "outbox/observations/3.json").write_text(deep)

    said = memory("sync").out.splitlines()

    assert "observations: 5 sent, 1 failed and kept (send them again with --retry-failed)" in said
    reason = "the body is not valid JSON: it is nested too deeply"
    assert outbox.why_failed("3") == f"{connection.load().url} refused (422): {reason}"
    assert Observation.objects.filter(type="task.updated").count() == 5


@pytest.mark.usefixtures("online")
def test_secrets_are_cut_out_and_noted(memory: Laptop) -> None:
    said = memory("log", "append", "in by password=hunter2xyz", "--type", "t.x", "--data", '{"api_key": "c0ffee12345"}')

    row = Observation.objects.get(type="t.x")
    assert (said.status, said.out) == (0, f"{row.pk}\n")
    assert said.err == "memory: note: cut out as secret: password, api-key; the rest is stored\n"
    assert (row.message, row.data) == ("in by password=[redacted:password]", {"api_key": "[redacted:api-key]"})


def test_data_that_is_no_json_is_refused_at_once(memory: Laptop) -> None:
    said = memory("log", "append", *MESSAGE, "--data", "{")

    assert (said.status, said.err[:28]) == (2, "memory: --data is not JSON: ")
    assert not (memory.home / "outbox").exists()


@pytest.mark.usefixtures("online")
def test_query_is_the_agents_tool_with_its_defaults(memory: Laptop, alice: User) -> None:
    news = [new(created_at=MOMENT + step * 1000, message=str(step), scope_ids=["task-1"]) for step in range(60)]
    log.append_all(alice, news)

    said = memory("log", "query", "--scope", "task-1")

    assert said.out.splitlines()[0] == "[2023-11-14T22:13:20.000Z] [task.updated] 0"
    assert len(said.out.splitlines()) == 50
    assert said.err.startswith("there is more; continue with: --cursor ")
    rest = memory("log", "query", "--scope", "task-1", "--cursor", cursor_in(said.err))
    assert [line.split()[2] for line in rest.out.splitlines()] == [str(step) for step in range(50, 60)]
    log.append(alice, new(message="since", scope_ids=["task-1"]))
    since = memory("log", "query", "--scope", "task-1", "--cursor", cursor_in(rest.err), "--mode", "full")
    assert since.out.splitlines()[1:] == ["since"]


@pytest.mark.usefixtures("online")
def test_query_takes_every_filter(memory: Laptop, alice: User) -> None:
    log.append_all(alice, [new(created_at=MOMENT + step, message=str(step), data=step) for step in range(5)])
    filters = ["--type", "task.updated", "--source", "agent:", "--mode", "json"]

    def found(*words: str) -> str:
        return memory("log", "query", *filters, *words).out

    assert found() == "0\n1\n2\n3\n4\n"
    assert found("--after", str(MOMENT + 1), "--before", "2023-11-14T22:13:20.003Z") == "1\n2\n"
    assert found("--since", str(MOMENT + 1), "--until", str(MOMENT + 3)) == "1\n2\n"  # as search has them
    assert found("--limit", "2", "--offset", "1") == "1\n2\n"
    assert found("--order", "desc", "--limit", "1") == "4\n"
    assert found("--after", "1h") == "No observations found.\n"
    assert found("--max-chars", "200") == "0\n1\n2\n3\n4\n"


@pytest.mark.usefixtures("online")
def test_recent_gives_the_newest(memory: Laptop, alice: User) -> None:
    log.append_all(alice, [new(message=str(number), scope_ids=["task-1"]) for number in range(5)])

    said = memory("log", "recent", "--scope", "task-1", "--limit", "2", "--show-cursor")

    assert [line.split()[2] for line in said.out.splitlines()] == ["3", "4"]
    assert (
        memory("log", "query", "--scope", "task-1", "--cursor", cursor_in(said.err)).out == "No observations found.\n"
    )


@pytest.mark.usefixtures("online")
def test_json_is_the_whole_answer(memory: Laptop, alice: User) -> None:
    log.append(alice, new(scope_ids=["task-1"]))

    answer = memory("log", "query", "--scope", "task-1", "--json").json()

    assert [row["message"] for row in answer["observations"]] == ["moved on"]
    assert (set(answer), answer["more"]) == ({"observations", "cursor", "more"}, False)


def test_what_the_log_refuses_is_said_in_a_line(memory: Laptop, online: str) -> None:
    answer = memory("log", "query", "--cursor", "x")
    said = "cursor is invalid; use the one of the previous response, or none to begin"

    assert (answer.status, answer.out, answer.err) == (1, "", f"memory: {online} refused (422): {said}\n")


@pytest.mark.parametrize("moment", ["", "yesterday", "2026-11-27", "5x", "9" * 400 + "d"])
def test_time_that_is_none_is_wrong_usage(memory: Laptop, moment: str) -> None:
    said = memory("log", "query", "--after", moment)

    assert (said.status, "is not a time" in said.err) == (2, True)


@pytest.mark.parametrize("words", [["query"], ["recent"], ["query", "--json"]], ids=" ".join)
@pytest.mark.usefixtures("online")
def test_reading_has_what_was_appended_before_it_was_delivered(memory: Laptop, words: list[str]) -> None:
    observations.save(type="t.x", source="agent:a", message="appended")

    answer = memory("log", *words, "--type", "t.x")

    assert ("appended" in answer.out, answer.err) == (True, "")
    assert Outbox(memory.home, "observations").waiting() == []


def test_reading_says_what_is_not_in_it(memory: Laptop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORYSERVER_URL", OFFLINE)
    monkeypatch.setenv("MEMORYSERVER_TOKEN", "msv_x")
    observations.save(type="t.x", source="agent:a", message="appended")

    lines = memory("log", "query").err.splitlines()

    assert [line.partition(": http")[0] for line in lines] == [
        "not all that was appended here is in the answer",
        "memory",
    ]
    assert len(Outbox(memory.home, "observations").waiting()) == 1


def test_query_offline_fails_with_a_line(memory: Laptop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORYSERVER_URL", OFFLINE)
    monkeypatch.setenv("MEMORYSERVER_TOKEN", "msv_x")
    said = memory("log", "query")

    assert (said.status, said.err.startswith(f"memory: {OFFLINE} cannot be reached: ")) == (1, True)


class Tail:
    """`memory log tail` as a process."""

    def __init__(self, memory: Laptop, *words: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "memorycli", "log", "tail", "--interval", "0.05", *words],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[3]), "MEMORYSERVER_HOME": str(memory.home)},
        )

    def lines(self, count: int) -> list[str]:
        assert self.process.stdout is not None
        return [self.process.stdout.readline().rstrip("\n") for _ in range(count)]

    def interrupt(self) -> tuple[int, str, str]:
        self.process.send_signal(signal.SIGINT)
        out, err = self.process.communicate(timeout=30)
        return self.process.returncode, out, err


@pytest.fixture
def tail(memory: Laptop, online: str) -> Iterator[Tail]:
    running = Tail(memory, "--source", "agent:", "--mode", "json", "--limit", "2")
    yield running
    running.process.kill()
    running.process.communicate()


def test_tail_shows_the_newest_and_then_what_comes_until_it_is_stopped(alice: User, tail: Tail) -> None:
    log.append_all(alice, [new(data=1), new(data=2), new(data=3)])
    running_before = tail.lines(1)  # it may have begun before or after these three
    seen = [*running_before, *tail.lines(1 if running_before == ["2"] else 2)]
    assert seen[-2:] == ["2", "3"]

    log.append(alice, new(data="not ours", source="system:x"))
    log.append(alice, new(data=4))
    assert tail.lines(1) == ["4"]
    log.append(alice, new(data=5, created_at=MOMENT))
    assert tail.lines(1) == ["5"]

    assert tail.interrupt() == (0, "", "")


def test_tail_lives_through_a_server_that_is_away(
    memory: Laptop, alice: User, live_server: LiveServer, tmp_path: Path
) -> None:
    """The way to the server is a relay that closes and opens again."""
    from tests.support.fakes.relay import Relay

    _, token = tokens.issue(alice, "laptop")
    log.append(alice, new(data=0))
    with Relay(live_server.url) as relay:
        connection.store(relay.url, token)
        running = Tail(memory, "--source", "agent:", "--mode", "json")
        try:
            assert running.lines(1) == ["0"]
            relay.close()
            log.append(alice, new(data=1))
            assert running.process.stderr is not None
            assert running.process.stderr.readline().endswith("; trying again\n")
            relay.open()
            assert running.lines(1) == ["1"]
            assert running.interrupt()[0] == 0
        finally:
            running.process.kill()
            running.process.communicate()


def test_tail_with_a_token_that_is_revoked_ends_with_a_line(memory: Laptop, alice: User, tail: Tail) -> None:
    log.append(alice, new(data=1))
    tail.lines(1)
    tokens.revoke(alice.api_tokens.get())

    assert tail.process.wait(30) == 1
    assert tail.process.stderr is not None
    assert "refused the token (401)" in tail.process.stderr.read()
