"""`manage.py restore` on the embedded Postgres of a data folder that does not exist yet."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from memoryserver.accounts.models import User
from memoryserver.ops.backups import archive, dumping
from tests.support.processes.server_process import ROOT


@pytest.mark.django_db(transaction=True)
def test_new_machine_gets_everything_and_can_be_backed_up_again(tmp_path: Path, alice: User) -> None:
    path, again = tmp_path / "one.backup", tmp_path / "two.backup"
    manifest = dumping.make(path, archive.silent)
    environment = {**os.environ, "MEMORYSERVER_DATA": str(tmp_path / "data")}
    environment.pop("DATABASE_URL", None)

    def manage(*words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "manage.py", *words]
        return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)

    restored = manage("restore", str(path))
    backed_up = manage("backup", str(again))

    assert (restored.stderr, backed_up.stderr) == ("", "")
    assert restored.stdout == (
        f"Restored {manifest.total_rows:,} rows in {len(manifest.rows)} tables, as of {manifest.made_at}. "
        "Start the server: manage.py up\n"
    )
    assert archive.read_manifest(again).rows["accounts_user"] == 1
    assert archive.read_key(again) == archive.read_key(path)


def test_file_that_is_missing_is_an_error_of_one_line(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "manage.py", "restore", str(tmp_path / "none")],
        cwd=ROOT,
        env={**os.environ, "MEMORYSERVER_DATA": str(tmp_path / "data")},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.stderr == f"CommandError: {tmp_path}/none cannot be read: No such file or directory\n"
    assert not (tmp_path / "data" / "postgres").exists()
