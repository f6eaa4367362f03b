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
from tests.support.database.migrated import Migrated
from tests.support.processes.server_process import Server, processes_of


@pytest.fixture
def new_data_dir(tmp_path: Path) -> Iterator[Path]:
    """A data folder that is not there yet."""
    folder = tmp_path / "data"
    yield folder
    assert processes_of(folder) == {}, "something was left running"


@pytest.fixture(scope="module")
def first_start(migrated: Migrated, tmp_path_factory: pytest.TempPathFactory) -> Server:
    """A server that was started for the first time, on a migrated database, and has ended."""
    server = Server(migrated.files(tmp_path_factory.mktemp("prepared") / "data")).start()
    assert server.stop() == 0
    return server


@pytest.fixture
def data_dir(new_data_dir: Path, first_start: Server) -> Path:
    return copy_of(first_start, new_data_dir)


def copy_of(server: Server, folder: Path) -> Path:
    """Copy what a first start has prepared: the second start is much the quicker."""
    return shutil.copytree(server.data_dir, folder, ignore=shutil.ignore_patterns("*.sock", ".s.PGSQL*"))


def one_line(server: Server) -> str:
    """The one line that says why it did not start: what is written before it only tells how far it came."""
    *_, last = server.said().strip().splitlines()
    assert "Traceback" not in server.said()
    return last


@pytest.fixture(scope="module")
def running(first_start: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The second start of that one; `restarted` ends it."""
    server = Server(copy_of(first_start, tmp_path_factory.mktemp("running") / "data")).start()
    yield server
    if server.process.poll() is None:
        server.stop()


@pytest.fixture(scope="module")
def restarted(running: Server) -> Iterator[Server]:
    """The start after that one was killed with all that it started; the last test ends it."""
    end_job = running.run_long_job()
    running.stop(signal.SIGKILL)
    deadline = time.monotonic() + 60
    while processes_of(running.data_dir):
        assert time.monotonic() < deadline, processes_of(running.data_dir)
        time.sleep(0.1)
    server = Server(running.data_dir).start()
    end_job()
    yield server
    if server.process.poll() is None:
        server.stop()


@pytest.fixture(scope="module")
def elsewhere(first_start: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server that was started in another checkout, with a relative data folder."""
    data_dir = copy_of(first_start, tmp_path_factory.mktemp("elsewhere") / "data")
    other = data_dir.with_name("other checkout")
    for name in ("memoryserver", "gunicorn", "django_q", "obslog"):
        (other / name).mkdir(parents=True)
        (other / name / "__init__.py").write_text("raise RuntimeError('the wrong checkout')\n")
    (other / "gunicorn.conf.py").write_text("raise RuntimeError('the wrong settings')\n")
    server = Server(data_dir, folder=other, MEMORYSERVER_DATA=os.path.relpath(data_dir, other)).start()
    yield server
    if server.process.poll() is None:
        server.stop()


def test_first_start_shows_the_secrets_and_ends_well_on_sigterm(first_start: Server) -> None:
    assert re.search(r"password +(\S+)", first_start.said()) is not None
    assert first_start.token().startswith("msv_")
    assert first_start.said().strip().splitlines()[-1] == "Stopped."
    assert processes_of(first_start.data_dir) == {}


def test_second_start_does_not_show_the_secrets_and_no_file_has_them(first_start: Server, running: Server) -> None:
    password = re.search(r"password +(\S+)", first_start.said())
    logs = [path.read_text(errors="replace") for path in running.data_dir.glob("*.log")]

    assert password is not None
    assert "password" not in running.said()
    assert "msv_" not in running.said()
    assert [password[1] in log for log in logs] == [False] * len(logs) != []


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


def test_told_to_stop_while_starting_it_leaves_no_process(new_data_dir: Path) -> None:
    server = Server(new_data_dir)
    server.launch()
    while "Preparing" not in server.said():
        time.sleep(0.01)

    assert server.stop() == 0
    assert processes_of(new_data_dir) == {}


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


def test_started_in_another_checkout_with_a_relative_data_folder_it_runs_its_own_modules(elsewhere: Server) -> None:
    assert elsewhere.count("SELECT count(*) FROM accounts_user") == 1
    assert elsewhere.get("/healthz") == "ok\n"


def test_postgres_that_dies_stops_the_rest_with_one_line(elsewhere: Server) -> None:
    elsewhere.kill_part("postgres -D")

    assert elsewhere.wait() == 1
    # Before that the other parts may say in words of their own what they miss.
    *_, last = elsewhere.said().strip().splitlines()
    assert last == (
        "CommandError: the embedded Postgres was killed by signal 9; everything was stopped. "
        "Start it again: manage.py up"
    )
    assert processes_of(elsewhere.data_dir) == {}


def test_parts_know_the_port_that_was_named_as_an_option(running: Server) -> None:
    parts = processes_of(running.data_dir, "qcluster")
    environments = [Path(f"/proc/{pid}/environ").read_bytes() for pid in parts]

    ports = {line for environment in environments for line in environment.split(b"\0") if b"SERVER_PORT=" in line}
    assert ports == {f"MEMORYSERVER_PORT={running.port}".encode()}


def test_second_server_on_the_same_data_is_one_line_and_the_first_goes_on(running: Server) -> None:
    for second in (Server(running.data_dir), Server(running.data_dir, port=running.port)):
        second.launch()

        assert second.wait() == 1
        assert one_line(second).startswith(f"CommandError: another server is using {running.data_dir}: ")
    assert running.get("/healthz") == "ok\n"


def test_each_process_that_is_killed_is_replaced_and_jobs_run_again(running: Server) -> None:
    """The short form of bench/kill_parts.py, which suspends them, too."""
    for part, busy in (("qcluster", True), ("gunicorn", False), ("gunicorn worker", False)):
        if busy:
            running.run_long_job()
        pid = running.pid_of(part)
        os.kill(pid, signal.SIGKILL)
        running.wait_until_gone(pid)
        running.wait_until_ready()
        running.wait_until_jobs_run()


def test_killed_outright_while_a_job_runs_it_takes_its_processes_along_and_starts_again(
    running: Server, restarted: Server
) -> None:
    assert running.process.returncode == -signal.SIGKILL
    assert restarted.get("/healthz") == "ok\n"


def test_ctrl_c_which_the_terminal_sends_to_every_process_stops_all_of_it(restarted: Server) -> None:
    os.killpg(restarted.process.pid, signal.SIGINT)

    assert restarted.wait() == 0
    assert restarted.said().strip().splitlines()[-1] == "Stopped."
    assert processes_of(restarted.data_dir) == {}
