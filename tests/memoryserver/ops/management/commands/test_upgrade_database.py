"""The command's errors; what it does is in `backups/test_upgrading.py`."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from memoryserver.common.files import lock
from memoryserver.ops.backups.database import LOCK_NAME
from tests.support.processes.server_process import ROOT


def upgrade(data_dir: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "MEMORYSERVER_DATA": str(data_dir)}
    environment.pop("DATABASE_URL", None)
    command = [sys.executable, "manage.py", "upgrade_database", *words]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)


def test_server_that_runs_is_not_upgraded(tmp_path: Path) -> None:
    files = tmp_path / "postgres"
    files.mkdir()
    (files / "PG_VERSION").write_text("16\n")

    with lock(tmp_path / LOCK_NAME):
        done = upgrade(tmp_path)

    assert done.stderr == "CommandError: the server is running; stop it first, and start it again afterwards\n"


def test_folder_without_the_programs_is_named(tmp_path: Path) -> None:
    files = tmp_path / "postgres"
    files.mkdir()
    (files / "PG_VERSION").write_text("16\n")

    done = upgrade(tmp_path, "--old-programs", str(tmp_path))

    assert done.returncode == 1
    assert done.stderr.startswith(f"CommandError: {tmp_path} has no PostgreSQL 16, which has to read the data once.")
