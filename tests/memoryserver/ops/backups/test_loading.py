"""The transaction that replaces a database: killed at any moment it has changed nothing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from memoryserver.accounts.models import User
from memoryserver.ops.backups import archive, dumping
from tests.support.database.restored_server import Target
from tests.support.processes.server_process import ROOT

pytestmark = pytest.mark.django_db(transaction=True)

DIE_MIDWAY = """
import os, signal, sys
import django; django.setup()
from pathlib import Path
from memoryserver.ops.backups import restoring
restoring.restore(Path(sys.argv[1]), lambda done: os.kill(os.getpid(), signal.SIGKILL), replace=True)
"""


@pytest.fixture
def backup(tmp_path: Path, alice: User) -> Path:
    path = tmp_path / "one.backup"
    dumping.make(path, archive.silent)
    return path


def test_restore_that_is_killed_leaves_the_server_as_it_was(backup: Path, copied_server: Target) -> None:
    target = copied_server
    target.execute("UPDATE accounts_user SET username = 'kept'")

    killed = subprocess.run(
        [sys.executable, "-c", DIE_MIDWAY, backup],
        cwd=ROOT,
        env={**target.environment, "PYTHONPATH": str(ROOT), "DJANGO_SETTINGS_MODULE": "memoryserver.settings"},
        check=False,
        stderr=subprocess.DEVNULL,
    )

    assert killed.returncode == -9
    assert target.execute("SELECT username FROM accounts_user") == [("kept",)]


def test_what_another_release_left_is_replaced_too(backup: Path, copied_server: Target) -> None:
    target = copied_server
    target.execute(
        "CREATE TABLE later (user_id bigint REFERENCES accounts_user); CREATE SEQUENCE alone; "
        "CREATE FUNCTION later_function(text) RETURNS text LANGUAGE sql AS 'SELECT 1'; "
        "CREATE VIEW names AS SELECT username FROM accounts_user"
    )

    done = target.manage("restore", "--replace", str(backup))

    remaining = "SELECT count(*) FROM pg_class WHERE relname IN ('later', 'alone', 'names')"
    assert (done.stderr, done.returncode) == ("", 0)
    assert target.execute(remaining) == [(0,)]
    assert target.execute("SELECT count(*) FROM pg_proc WHERE proname = 'later_function'") == [(0,)]
