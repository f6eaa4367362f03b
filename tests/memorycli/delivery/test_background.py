"""`memory sync --background`, as the hook's child runs it."""

from __future__ import annotations

import json
import os
import signal
import threading
import time

from memorycli.delivery import connection
from memorycli.delivery.observations import save
from memoryserver.client import sync_state
from memoryserver.common import files
from tests.support.fakes.api_server import HttpServer, serving
from tests.support.fakes.delivery_server import delivery_server
from tests.support.fakes.silent_server import silent_server
from tests.support.laptops.laptop import Laptop, Said


def posts(server: HttpServer) -> int:
    return sum(method == "POST" for method, *_ in server.requests)


def test_it_sends_and_prints_nothing(memory: Laptop, server: HttpServer, entry: str) -> None:
    said = memory("sync", "--background")

    assert (said.status, said.out, said.err) == (0, "", "")
    assert list(server.entries.stored) == [entry]


def test_offline_is_silent_and_the_next_try_waits_until_a_person_asks(
    memory: Laptop, server: HttpServer, entry: str
) -> None:
    server.answer = lambda *_: (503, {"detail": "later"})
    assert memory("sync", "--background").status == 0
    tried = posts(server)
    assert tried == 1

    memory("sync", "--background")
    assert posts(server) == tried
    server.answer = None
    memory("sync", "--background")
    assert posts(server) == tried

    assert "journal: 1 sent" in memory("sync").out
    assert list(server.entries.stored) == [entry]


def test_wait_ends_with_the_time_it_names(memory: Laptop, server: HttpServer, entry: str) -> None:
    server.answer = lambda *_: (503, {"detail": "later"})
    memory("sync", "--background")
    server.answer = None
    path = memory.home / "sync.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"not_before": 1.0}))

    memory("sync", "--background")

    assert list(server.entries.stored) == [entry]


def test_nothing_is_sent_while_another_sync_runs(memory: Laptop, server: HttpServer, entry: str) -> None:
    with files.lock(memory.home / ".sync.lock"):
        said = memory("sync", "--background")

    assert (said.status, said.err, posts(server)) == (0, "", 0)


def test_refused_token_is_an_error_for_the_log(memory: Laptop, server: HttpServer, entry: str) -> None:
    connection.store(server.url, "old")

    said = memory("sync", "--background")

    assert (said.status, said.out) == (1, "")
    assert "refused the token (401)" in said.err
    assert "refused the token (401)" in sync_state.load().error


def test_next_attempt_waits_as_long_as_the_server_asks_for(memory: Laptop) -> None:
    with delivery_server() as server:
        connection.store(server.url, "t")
        save(type="t", source="a:b", message="x")
        server.status, server.headers = 503, {"Retry-After": "900"}
        memory("sync", "--background")

        wait = sync_state.load().not_before - time.time()

        assert 890 < wait <= 900
        server.recover()
        memory("sync", "--background")
        assert server.arrived == []
        memory("sync")
        assert len(server.arrived) == 1


def test_child_passes_what_went_wrong_to_its_log(memory: Laptop) -> None:
    connection.credentials_path().parent.mkdir(parents=True)
    connection.credentials_path().write_text("{")

    said = run_child(memory)

    line = f"sync: CommandError: {connection.credentials_path()} is damaged; run again: memory login URL\n"
    assert (said.status, said.out) == (0, line)


def test_child_without_anything_wrong_logs_nothing(memory: Laptop, server: HttpServer, entry: str) -> None:
    said = run_child(memory)

    assert (said.status, said.out, said.err, list(server.entries.stored)) == (0, "", "", [entry])


def test_child_ends_by_itself_while_a_server_goes_on_answering_and_leaves_the_lock_to_the_next(
    memory: Laptop, entry: str
) -> None:
    with silent_server(trickles=True) as silent:
        connection.store(silent.url, "t")

        said = run_child(memory, "background.LONGEST_SECONDS = 2.0")  # a server that trickles is waited for without end

    assert (said.status, said.out) == (0, "sync: ended after 2 s; the next one sends the rest\n")
    with files.lock(memory.home / ".sync.lock", timeout=0):
        pass
    with serving() as server:
        connection.store(server.url, server.token)
        assert "journal: 1 sent" in memory("sync").out


def test_child_whose_log_hangs_is_ended_by_the_alarm(memory: Laptop, entry: str) -> None:
    with silent_server(trickles=True) as silent:
        connection.store(silent.url, "t")

        said = run_child(memory, "import time; background.LONGEST_SECONDS = 1.0; print = lambda _: time.sleep(600)")

    assert said.status == -signal.SIGALRM


def test_child_waits_for_a_sync_that_runs_and_then_sends_what_is_new(
    memory: Laptop, server: HttpServer, entry: str
) -> None:
    held = files.try_lock(memory.home / ".sync.lock")
    assert held is not None
    other = threading.Timer(2.0, os.close, (held,))
    other.start()
    said = run_child(memory)
    other.join()

    assert (said.status, said.out, list(server.entries.stored)) == (0, "", [entry])


def test_child_leaves_it_to_the_one_that_waits_already(memory: Laptop, server: HttpServer, entry: str) -> None:
    with files.lock(memory.home / ".sync.lock"), files.lock(memory.home / ".sync.next.lock"):
        before = time.monotonic()
        said = run_child(memory, "background.WAIT_SECONDS = 600.0")

    assert (said.status, said.out, posts(server)) == (0, "", 0)
    assert time.monotonic() - before < 60


def run_child(memory: Laptop, change: str = "") -> Said:
    """Run the child as a process whose log is standard output, after `change`."""
    program = f"from memorycli.delivery import background\n{change}\nbackground.child(print)\nraise SystemExit"
    return memory.process(program=program)
