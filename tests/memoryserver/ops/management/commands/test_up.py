"""`manage.py up`, which `make run` is: starting, stopping, and every way it can fail."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memoryserver.database import embedded_socket_dir
from memoryserver.embedding.shared.address import default_socket
from memoryserver.ops.management.commands.up import SIGNALS, Stopped, StopRequest
from memoryserver.ops.postgres import EmbeddedPostgres, binaries
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
        "CommandError: the embedded Postgres was killed by signal 9; everything was stopped. Start again with: make run"
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


def test_secrets_are_shown_although_the_start_fails_later(new_data_dir: Path, migrated: Migrated) -> None:
    server = Server(migrated.files(new_data_dir), MEMORYSERVER_WEB_WORKERS="none")
    server.launch()

    assert server.wait() == 1
    assert re.search(r"password +(\S+)", server.said()) is not None
    assert server.token().startswith("msv_")
    assert server.said().strip().splitlines()[-1] == (
        "CommandError: the web server ended with status 1 while starting; the lines above say why, if anything does"
    )


def test_port_in_use_is_one_line_and_nothing_is_started(new_data_dir: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        server = Server(new_data_dir, port=taken.getsockname()[1])
        server.launch()

        assert server.wait() == 1

    assert one_line(server).startswith(
        f"CommandError: cannot listen on 127.0.0.1:{server.port} (Address already in use); "
    )
    assert not (new_data_dir / "postgres").exists()


def test_data_folder_that_cannot_be_made_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    server = Server(tmp_path / "log", MEMORYSERVER_DATA=str(tmp_path / "file" / "data"))
    server.launch()

    assert server.wait() == 1
    assert re.fullmatch(
        r"manage.py: the data folder \S+/file/data is not writable \(.+\); set MEMORYSERVER_DATA to a writable folder",
        server.said().strip(),
    )


def test_second_server_on_the_same_data_is_one_line_and_the_first_goes_on(data_dir: Path) -> None:
    first = Server(data_dir).start()
    second = Server(data_dir)
    second.launch()

    assert second.wait() == 1
    assert one_line(second).startswith(f"CommandError: another server is using {data_dir}: ")
    assert first.get("/healthz") == "ok\n"
    assert first.stop() == 0


@pytest.fixture
def own_postgres(tmp_path: Path, migrated: Migrated) -> Iterator[EmbeddedPostgres]:
    """A Postgres that is not memoryserver's to start: what DATABASE_URL names."""
    postgres = EmbeddedPostgres(migrated.files(tmp_path / "own"))
    postgres.start()
    yield postgres
    postgres.stop()


def url_of(folder: Path) -> str:
    return f"postgres://memoryserver@/memoryserver?host={embedded_socket_dir(folder)}"


def test_with_database_url_that_postgres_is_used_and_left_running(
    new_data_dir: Path, tmp_path: Path, own_postgres: EmbeddedPostgres
) -> None:
    server = Server(new_data_dir, DATABASE_URL=url_of(tmp_path / "own")).start()

    assert server.stop() == 0
    assert not (new_data_dir / "postgres").exists()
    assert own_postgres.process is not None
    assert own_postgres.process.poll() is None


def test_database_url_that_nobody_answers_is_one_line(new_data_dir: Path, tmp_path: Path) -> None:
    server = Server(new_data_dir, DATABASE_URL=url_of(tmp_path / "nowhere"))
    server.launch()

    assert server.wait() == 1
    assert one_line(server).startswith("CommandError: Postgres cannot be used: ")


def test_database_url_of_no_postgres_is_one_line(new_data_dir: Path) -> None:
    server = Server(new_data_dir, DATABASE_URL="sqlite:///x.db")
    server.launch()

    assert server.wait() == 1
    assert server.said() == "manage.py: DATABASE_URL must be an address like postgres://user:password@host:5432/name\n"


def test_postgres_with_an_old_pgvector_is_refused_in_one_line(
    new_data_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A real Postgres, whose pgvector says that it is older than it is."""
    package = binaries().parent.parent
    installation = tmp_path / package.name / binaries().parent.name
    libraries = f"{package.name}.libs"
    (tmp_path / libraries).symlink_to(package.with_name(libraries))
    shutil.copytree(binaries().parent, installation, symlinks=True, copy_function=_link)
    (control,) = installation.rglob("vector.control")
    text = control.read_text()
    control.unlink()
    control.write_text(re.sub(r"default_version = '[^']*'", "default_version = '0.8.3'", text))
    monkeypatch.setattr("memoryserver.ops.postgres.binaries", lambda: installation / "bin")
    (tmp_path / "own").mkdir()
    old = EmbeddedPostgres(tmp_path / "own")
    old.start()
    server = Server(new_data_dir, DATABASE_URL=url_of(tmp_path / "own"))
    server.launch()

    status = server.wait()
    old.stop()

    assert status == 1
    assert one_line(server).startswith(
        "CommandError: this Postgres has pgvector 0.8.3, which can corrupt indexes; 0.8.4"
    )


def _link(source: str, target: str) -> None:
    Path(target).hardlink_to(source)


def test_ctrl_c_which_the_terminal_sends_to_every_process_stops_all_of_it(data_dir: Path) -> None:
    server = Server(data_dir)
    server.launch()
    server.wait_until_up()

    os.killpg(server.process.pid, signal.SIGINT)

    assert server.wait() == 0
    assert processes_of(data_dir) == {}
