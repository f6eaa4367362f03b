"""`manage.py up` that cannot start: one line that says why, and nothing is left running."""

from __future__ import annotations

import re
import shutil
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from memoryserver.database import embedded_socket_dir
from memoryserver.ops.postgres import EmbeddedPostgres, binaries
from tests.memoryserver.ops.management.commands.test_up import one_line
from tests.support.database.migrated import Migrated
from tests.support.processes.server_process import Server, processes_of


@pytest.fixture
def new_data_dir(tmp_path: Path) -> Iterator[Path]:
    """A data folder that is not there yet."""
    folder = tmp_path / "data"
    yield folder
    assert processes_of(folder) == {}, "something was left running"


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


def test_misspelt_setting_is_named_before_anything_is_started(new_data_dir: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        server = Server(new_data_dir, port=taken.getsockname()[1], MEMORYSERVER_BACKUPDIR="/mnt/x")
        server.launch()

        assert server.wait() == 1

    first, *rest = server.said().strip().splitlines()
    assert first == "MEMORYSERVER_BACKUPDIR is not a setting; did you mean MEMORYSERVER_BACKUP_DIR?"
    assert [line.partition(" (")[0] for line in rest] == [f"CommandError: cannot listen on 127.0.0.1:{server.port}"]


def test_data_folder_that_cannot_be_made_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    server = Server(tmp_path / "log", MEMORYSERVER_DATA=str(tmp_path / "file" / "data"))
    server.launch()

    assert server.wait() == 1
    assert re.fullmatch(
        r"manage.py: the data folder \S+/file/data is not writable \(.+\); set MEMORYSERVER_DATA to a writable folder",
        server.said().strip(),
    )


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
    try:
        Path(target).hardlink_to(source)
    except OSError:  # on another file system: a run may keep its files in memory
        shutil.copy2(source, target)
