"""`manage.py embedding` among the other commands; what it does is shown in ops/test_embedding_process.py."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

MANAGE = Path(__file__).resolve().parents[5] / "manage.py"


def test_help_says_what_it_is_for() -> None:
    done = subprocess.run(
        [sys.executable, str(MANAGE), "embedding", "--help"], capture_output=True, text=True, check=True
    )

    assert "which find it by MEMORYSERVER_EMBEDDING_SOCKET" in " ".join(done.stdout.split())


def test_it_runs_without_the_apps_of_django() -> None:
    """They would cost a third of its memory and half of its start."""
    script = (
        "import manage, sys\n"
        "sys.argv = ['manage.py', 'embedding']\n"
        "try: manage.main()\n"
        "except SystemExit as error: print(error)\n"
        "print(sorted(name for name in ('allauth', 'capture', 'ghap', 'ninja') if name in sys.modules))"
    )
    environment = {**os.environ, "MEMORYSERVER_EMBEDDING_SOCKET": "/no/such/socket"}
    del environment["MEMORYSERVER_EMBEDDING_SERVICE"]
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=MANAGE.parent, env=environment, capture_output=True, text=True, check=True
    )

    reason, modules = done.stdout.splitlines()
    assert reason.startswith("manage.py: the socket /no/such/socket cannot be created (No such file or directory); ")
    assert modules == "[]"
