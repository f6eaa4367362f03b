"""Upgrades of the embedded Postgres, from the older version that its package brings too."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import psycopg
import pytest

from memoryserver.database import embedded_data_dir, embedded_socket_dir
from memoryserver.ops.backups import BackupError, archive, upgrading
from memoryserver.ops.backups.database import conninfo
from memoryserver.ops.backups.programs import Programs
from memoryserver.ops.postgres import VERSION, EmbeddedPostgres, binaries, upgraded_dir, version_of
from tests.support.database.restored_server import contents
from tests.support.processes.server_process import ROOT

OLD = binaries().parents[1] / "pginstall" / "bin"
OLD_VERSION = "16"

KILLED_AT_THE_SWAP = """
import os, signal, sys
import django; django.setup()
from pathlib import Path
from memoryserver.ops.backups import upgrading
real, number = Path.rename, int(sys.argv[1])
def rename(self, target):
    global number
    if self.name.startswith("postgres"):
        number -= 1
        if number == 0:
            os.kill(os.getpid(), signal.SIGKILL)
    return real(self, target)
upgrading.dumping.make.__globals__["Path"].rename = rename
upgrading.upgrade(lambda done: None)
"""


def environment(data_dir: Path) -> dict[str, str]:
    values = {**os.environ, "MEMORYSERVER_DATA": str(data_dir), "PYTHONPATH": str(ROOT)}
    values.pop("DATABASE_URL", None)
    return values | {"DJANGO_SETTINGS_MODULE": "memoryserver.settings"}


def manage(data_dir: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "manage.py", *words]
    return subprocess.run(command, cwd=ROOT, env=environment(data_dir), capture_output=True, text=True, check=False)


def address(data_dir: Path) -> str:
    return f"host={embedded_socket_dir(data_dir)} user=memoryserver dbname=memoryserver"


def now_in(data_dir: Path) -> dict[str, list[str]]:
    """What the data folder's Postgres has, started by the version that is installed."""
    server = EmbeddedPostgres(data_dir)
    server.start()
    try:
        return contents(address(data_dir))
    finally:
        server.stop()


def copy_tables(target: str) -> None:
    """Put the tests' tables into the database `target`: much quicker than to migrate it."""
    parameters, variables = conninfo()
    programs = Programs(binaries(), VERSION)
    words = ["--no-owner", "--no-privileges", f"--dbname={parameters}"]
    dump = subprocess.run([programs.path("pg_dump"), *words], env=variables, capture_output=True, text=True, check=True)
    lines = [line for line in dump.stdout.splitlines() if line != "SET transaction_timeout = 0;"]  # not known to 16
    psql = [programs.path("psql"), "--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1", f"--dbname={target}"]
    subprocess.run(psql, input="\n".join(lines), stdout=subprocess.DEVNULL, text=True, check=True)


@pytest.fixture(scope="module")
def old_server(django_db_setup: None, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, list[str]]]:
    """A data folder of the old version with a few rows, and what is in it."""
    data_dir = tmp_path_factory.mktemp("old") / "data"
    data_dir.mkdir(mode=0o700)
    server = EmbeddedPostgres(data_dir, programs=OLD)
    server.start()
    try:
        copy_tables(address(data_dir))
        with psycopg.connect(address(data_dir)) as session:
            session.execute("INSERT INTO ops_heartbeat SELECT 'part ' || n, now() FROM generate_series(1, 500) AS n")
            session.execute("CREATE TABLE texts AS SELECT 1 AS id, '[1,2,3]'::vector(3) AS vector")
        before = contents(address(data_dir))
    finally:
        server.stop()
    return data_dir, before


@pytest.fixture
def data_dir(old_server: tuple[Path, dict[str, list[str]]], tmp_path: Path) -> Path:
    """A copy of it."""
    copy = tmp_path / "data"
    shutil.copytree(old_server[0], copy, ignore=shutil.ignore_patterns(".s.*"))
    return copy


@pytest.fixture
def before(old_server: tuple[Path, dict[str, list[str]]]) -> dict[str, list[str]]:
    return old_server[1]


def test_every_row_is_there_after_the_upgrade_and_the_old_files_are_kept(
    data_dir: Path, before: dict[str, list[str]]
) -> None:
    done = manage(data_dir, "upgrade_database")

    assert (done.returncode, done.stderr) == (0, "")
    assert f" rows from PostgreSQL {OLD_VERSION}." in done.stdout
    assert now_in(data_dir) == before
    assert version_of(embedded_data_dir(data_dir)) == VERSION
    assert version_of(data_dir / f"postgres.{OLD_VERSION}") == OLD_VERSION
    assert archive.check(data_dir / f"before-upgrade-from-{OLD_VERSION}.backup", archive.silent).rows["texts"] == 1
    assert manage(data_dir, "upgrade_database").stdout == (
        f"Nothing to do: the data are of PostgreSQL {VERSION}, or there are none yet.\n"
    )


@pytest.mark.parametrize("rename", [3, 4])
def test_upgrade_that_is_killed_while_it_swaps_the_folders_goes_on(
    data_dir: Path, before: dict[str, list[str]], rename: int
) -> None:
    """The first rename ends the initialisation of the new files, the second one says that they are complete."""
    command = [sys.executable, "-c", KILLED_AT_THE_SWAP, str(rename)]
    killed = subprocess.run(command, cwd=ROOT, env=environment(data_dir), check=False, capture_output=True, text=True)
    assert killed.returncode == -signal.SIGKILL, killed.stderr

    if not version_of(embedded_data_dir(data_dir)):
        assert upgraded_dir(embedded_data_dir(data_dir)).exists()
    elif version_of(embedded_data_dir(data_dir)) == OLD_VERSION:
        assert manage(data_dir, "upgrade_database").returncode == 0

    assert now_in(data_dir) == before


def test_version_whose_programs_are_missing_is_an_error_that_says_what_to_do(
    data_dir: Path, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DATABASE_URL", raising=False)
    settings.DATA_DIR = data_dir
    (embedded_data_dir(data_dir) / "PG_VERSION").write_text("7\n")

    with pytest.raises(
        BackupError, match=r"there is no PostgreSQL 7, .*--old-programs FOLDER.*manage\.py restore FILE"
    ):
        upgrading.upgrade(archive.silent)
    with pytest.raises(BackupError, match=f"{OLD} has no PostgreSQL 7"):
        upgrading.upgrade(archive.silent, OLD)


@pytest.fixture
def full_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    usage = shutil.disk_usage("/")
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=1_000))


def test_disk_without_room_is_noticed_before_anything_is_written(
    data_dir: Path, settings: Any, monkeypatch: pytest.MonkeyPatch, full_disk: None
) -> None:
    monkeypatch.delenv("DATABASE_URL", raising=False)
    settings.DATA_DIR = data_dir
    listed = sorted(data_dir.iterdir())

    with pytest.raises(BackupError, match=r"the upgrade needs about .* MB in .*, and 1\.0 KB are free"):
        upgrading.upgrade(archive.silent)

    assert sorted(data_dir.iterdir()) == listed


def test_postgres_of_ones_own_is_not_touched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgres://somebody@127.0.0.1/x")

    with pytest.raises(BackupError, match="upgrade that one by its own tools"):
        upgrading.upgrade(archive.silent)
