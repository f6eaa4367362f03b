"""`manage.py up`, which `make run` is: starting, stopping, and every way it can fail."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memoryserver.embedding.shared.address import default_socket
from memoryserver.ops.management.commands.up import SIGNALS, Stopped, StopRequest
from tests.support.migrated import Migrated
from tests.support.server_process import Server, processes_of


@pytest.fixture
def new_data_dir(tmp_path: Path) -> Iterator[Path]:
    """A data folder that is not there yet."""
    folder = tmp_path / "data"
    yield folder
    assert processes_of(folder) == {}, "something was left running"


@pytest.fixture(scope="module")
def prepared(migrated: Migrated, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder that a first start has prepared."""
    folder = migrated.files(tmp_path_factory.mktemp("prepared") / "data")
    Server(folder).start().stop()
    return folder


@pytest.fixture
def data_dir(new_data_dir: Path, prepared: Path) -> Path:
    """A copy of the prepared one: the second start is much the quicker."""
    shutil.copytree(prepared, new_data_dir, ignore=shutil.ignore_patterns("*.sock", ".s.PGSQL*"))
    return new_data_dir


def one_line(server: Server) -> str:
    """The one line that says why it did not start: what is written before it only tells how far it came."""
    *_, last = server.said().strip().splitlines()
    assert "Traceback" not in server.said()
    return last


def test_first_start_shows_the_secrets_and_the_second_does_not(new_data_dir: Path) -> None:
    first = Server(new_data_dir).start()
    shown = first.said()
    assert first.stop() == 0
    second = Server(new_data_dir).start()
    shown_again = second.said()
    assert second.stop() == 0

    password = re.search(r"password +(\S+)", shown)
    assert password is not None
    assert first.token().startswith("msv_")
    assert "password" not in shown_again
    assert "msv_" not in shown_again
    assert password[1] not in "".join(path.read_text(errors="replace") for path in new_data_dir.glob("*.log"))


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_signal_that_arrives_in_a_finalizer_is_not_lost() -> None:
    class Finalized:
        def __del__(self) -> None:
            signal.raise_signal(signal.SIGTERM)

    previous = {number: signal.getsignal(number) for number in SIGNALS}
    try:
        stop = StopRequest()
        stop.check()
        finalized = Finalized()
        del finalized  # Python prints "Exception ignored" and goes on

        with pytest.raises(Stopped):
            stop.check()
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_told_to_stop_it_ends_well_and_leaves_no_process(data_dir: Path, number: int) -> None:
    server = Server(data_dir).start()

    assert server.stop(number) == 0
    assert server.said().strip().splitlines()[-1] == "Stopped."
    assert processes_of(data_dir) == {}


def test_told_to_stop_while_starting_it_leaves_no_process(new_data_dir: Path) -> None:
    server = Server(new_data_dir)
    server.launch()
    while "Preparing" not in server.said():
        time.sleep(0.01)

    assert server.stop() == 0
    assert processes_of(new_data_dir) == {}


def test_killed_outright_it_takes_its_processes_along(data_dir: Path) -> None:
    server = Server(data_dir).start()

    server.stop(signal.SIGKILL)

    deadline = time.monotonic() + 60
    while processes_of(data_dir):
        assert time.monotonic() < deadline, processes_of(data_dir)
        time.sleep(0.1)
    assert Server(data_dir).start().stop() == 0


def test_postgres_that_dies_stops_the_rest_with_one_line(data_dir: Path) -> None:
    server = Server(data_dir).start()

    server.kill_part("postgres -D")

    assert server.wait() == 1
    # Before that the other parts may say in words of their own what they miss.
    *_, last = server.said().strip().splitlines()
    assert last == (
        "CommandError: the embedded Postgres was killed by signal 9; everything was stopped. "
        "Start it again: manage.py up"
    )


def test_each_process_that_is_killed_or_suspended_is_replaced_and_jobs_run_again(data_dir: Path) -> None:
    """The short form of bench/kill_parts.py."""
    server = Server(data_dir).start()

    for number, part, busy in (
        (signal.SIGKILL, "qcluster", False),
        (signal.SIGKILL, "qcluster", True),
        (signal.SIGSTOP, "qcluster", False),
        (signal.SIGKILL, "gunicorn", False),
        (signal.SIGKILL, "gunicorn worker", False),
    ):
        if busy:
            server.run_long_job()
        pid = server.pid_of(part)
        os.kill(pid, number)
        server.wait_until_gone(pid)
        server.wait_until_ready()
        server.wait_until_jobs_run()

    assert server.stop() == 0


def found(server: Server, token: str) -> tuple[int, str, str | None]:
    """How many learnings a search by other words finds, its mode and its note."""
    request = urllib.request.Request(f"{server.address}/api/v1/search?q=nightly+job+is+stuck&source=learnings")
    request.add_header("Authorization", f"Bearer {token}")
    with urllib.request.urlopen(request, timeout=60) as response:
        answer = json.load(response)
    return len(answer["hits"]), answer["mode"], answer["note"]


def learn(server: Server, token: str, *contents: str) -> None:
    for content in contents:
        body = json.dumps({"type": "gotcha", "content": content}).encode()
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        with urllib.request.urlopen(
            urllib.request.Request(f"{server.address}/api/v1/learnings", body, headers), timeout=60
        ) as response:
            assert response.status == 201


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.1)


def test_embedding_process_alone_holds_the_model_and_can_be_killed_idle_and_busy(data_dir: Path) -> None:
    server = Server(data_dir)
    server.leave_to_default("MEMORYSERVER_EMBEDDING_SERVICE")
    server.start()
    until(server.is_loaded)
    token = server.manage("create_token", "admin")
    learn(server, token, "The export at night hangs since the backup holds its lock")
    until(lambda: found(server, token) == (1, "hybrid", None))

    libraries = {
        part: {word for word in ("onnxruntime", "libtorch") if word in maps(server.pid_of(part))}
        for part in ("embedding", "gunicorn worker", "qcluster")
    }
    idle = server.pid_of("embedding")
    os.kill(idle, signal.SIGKILL)
    server.wait_until_gone(idle)
    until(lambda: found(server, token) == (1, "hybrid", None))
    os.kill(server.pid_of("embedding"), signal.SIGSTOP)  # so that the job that comes has to wait for it
    learn(server, token, *(f"The importer of source {number} retries {number} times" for number in range(40)))
    os.kill(server.pid_of("embedding"), signal.SIGKILL)
    until(lambda: server.count("SELECT count(*) FROM capture_learning WHERE embedded_digest <> content_digest") == 0)

    assert libraries == {"embedding": {"onnxruntime"}, "gunicorn worker": set(), "qcluster": set()}
    assert server.count("SELECT count(*) FROM vectors_record WHERE embedding IS NOT NULL") == 41
    assert server.stop() == 0
    assert not default_socket(data_dir).exists()


def maps(pid: int) -> str:
    return Path(f"/proc/{pid}/maps").read_text()


def test_processes_end_with_a_supervisor_that_is_killed_while_a_job_runs(data_dir: Path) -> None:
    server = Server(data_dir).start()
    server.run_long_job()

    server.stop(signal.SIGKILL)

    deadline = time.monotonic() + 60
    while processes_of(data_dir):
        assert time.monotonic() < deadline, processes_of(data_dir)
        time.sleep(0.1)


def test_started_in_another_checkout_with_a_relative_data_folder_it_runs_its_own_modules(
    data_dir: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other checkout"
    for name in ("memoryserver", "gunicorn", "django_q", "obslog"):
        (other / name).mkdir(parents=True)
        (other / name / "__init__.py").write_text("raise RuntimeError('the wrong checkout')\n")
    (other / "gunicorn.conf.py").write_text("raise RuntimeError('the wrong settings')\n")

    server = Server(data_dir, folder=other, MEMORYSERVER_DATA=os.path.relpath(data_dir, other)).start()

    assert server.count("SELECT count(*) FROM accounts_user") == 1
    assert server.get("/healthz") == "ok\n"
    assert server.stop() == 0


def test_second_server_on_the_same_data_is_one_line_and_the_first_goes_on(data_dir: Path) -> None:
    first = Server(data_dir).start()
    second = Server(data_dir)
    second.launch()

    assert second.wait() == 1
    assert one_line(second).startswith(f"CommandError: another server is using {data_dir}: ")
    assert first.get("/healthz") == "ok\n"
    assert first.stop() == 0


def test_ctrl_c_which_the_terminal_sends_to_every_process_stops_all_of_it(data_dir: Path) -> None:
    server = Server(data_dir)
    server.launch()
    server.wait_until_up()

    os.killpg(server.process.pid, signal.SIGINT)

    assert server.wait() == 0
    assert processes_of(data_dir) == {}
