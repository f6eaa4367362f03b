"""A pytest plugin: the suite's own embedded Postgres, in a folder of its own, gone afterwards.

Each worker of a distributed run has one. Loaded by `-p` before Django's settings are read, since it says where
the data lies. With DATABASE_URL set the tests use that server instead.
"""

from __future__ import annotations

import atexit
import gc
import os
import shutil
import signal
import sys
import tempfile
from pathlib import Path

import psycopg
import pytest

from memoryserver import database
from memoryserver.database import embedded_socket_dir
from memoryserver.ops.postgres import EmbeddedPostgres

_data = Path(tempfile.mkdtemp(prefix="memoryserver-tests-"))
os.environ["MEMORYSERVER_DATA"] = str(_data)
os.environ["MEMORYSERVER_HOME"] = str(_data / "home")
os.environ["MEMORYSERVER_EMBEDDING_SERVICE"] = "tests.support.embedder.WordEmbedder"
for _name in ("CLAUDE_PROJECT_DIR", "MEMORYSERVER_URL", "MEMORYSERVER_TOKEN", "MEMORYSERVER_PROJECT"):
    os.environ.pop(_name, None)

# Tests start hundreds of Python processes; without bytecode each compiles all that it imports.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# What is loaded until the tests begin is no garbage: not looking through it takes a tenth off the whole run.
gc.disable()
atexit.register(gc.freeze)

# Where the run was put into the background, Ctrl-C is ignored, and what tests start would inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

_key: pytest.StashKey[EmbeddedPostgres] = pytest.StashKey()


@pytest.hookimpl(tryfirst=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    distributes = getattr(session.config.option, "numprocesses", None) and not hasattr(session.config, "workerinput")
    if not distributes and not database.uses_external_server():
        server = session.config.stash[_key] = EmbeddedPostgres(_data)
        server.start()
        _leave_disk_to_the_kernel()


def _leave_disk_to_the_kernel() -> None:
    """Have no commit wait for the disk, here and in the copies that `support.migrated` makes of these files.

    Only a power cut could tell: whatever process is killed, the kernel keeps what it wrote.
    """
    with psycopg.connect(host=str(embedded_socket_dir(_data)), user="memoryserver", autocommit=True) as connection:
        connection.execute("ALTER SYSTEM SET fsync = off")
        connection.execute("SELECT pg_reload_conf()")


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config: pytest.Config) -> None:
    running = config.stash.get(_key, None)
    if running is not None:
        running.stop()
    shutil.rmtree(_data, ignore_errors=True)
