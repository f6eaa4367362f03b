"""Management commands by another way than manage.py, as a server that was installed from a wheel is run."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.support.server_process import ROOT


def run(tmp_path: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    values = {**os.environ, "PYTHONPATH": str(ROOT), "MEMORYSERVER_DATA": str(tmp_path), **environment}
    values.pop("DJANGO_SETTINGS_MODULE", None)
    command = [sys.executable, "-P", "-m", "memoryserver.ops.management.program", *words]
    return subprocess.run(command, cwd=tmp_path, env=values, capture_output=True, text=True, check=False)


def test_commands_run_from_any_folder(tmp_path: Path) -> None:
    done = run(tmp_path, "check")

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "System check identified no issues (0 silenced).\n"


def test_invalid_setting_is_an_error_of_one_line(tmp_path: Path) -> None:
    done = run(tmp_path, "check", DATABASE_URL="mysql://x/y")

    assert (done.returncode, done.stderr) == (
        1,
        "memoryserver: DATABASE_URL must be an address like postgres://user:password@host:5432/name\n",
    )
