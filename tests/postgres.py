"""A pytest plugin: the suite's own embedded Postgres, in a folder of its own, gone afterwards.

Each worker of a distributed run has one, a copy of files that a process migrates while the workers collect the tests.
The files of such a run lie in memory where there is room: the laptop's code waits for the disk at each write.
Loaded by `-p` before Django's settings are read, since it says where the data lies. With DATABASE_URL set the tests use
that server instead.
"""

from __future__ import annotations

import atexit
import gc
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

from memoryserver import database
from memoryserver.ops.postgres import EmbeddedPostgres
from tests.support.database import migrated

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

# A run that is told to end does so as after Ctrl-C: fixtures end the processes that they have started.
signal.signal(signal.SIGTERM, signal.default_int_handler)

_MEMORY = Path("/dev/shm")
_ROOM = 4 * 1024**3  # bytes; a run leaves some 1.5 GB

_in_memory: pytest.StashKey[Path] = pytest.StashKey()
_server: pytest.StashKey[EmbeddedPostgres] = pytest.StashKey()
_migration: pytest.StashKey[subprocess.Popen[bytes]] = pytest.StashKey()


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Put the temporary folders of a distributed run into memory; its workers get theirs below this one.

    Its name is short, as pytest's own is: many tests have sockets there, whose paths have at most 107 bytes.
    """
    if not getattr(config.option, "numprocesses", None) or _is_worker(config) or config.option.basetemp:
        return
    if _MEMORY.is_dir() and shutil.disk_usage(_MEMORY).free >= _ROOM:
        config.stash[_in_memory] = Path(tempfile.mkdtemp(prefix="tests-", dir=_MEMORY))
        config.option.basetemp = str(config.stash[_in_memory])


@pytest.hookimpl(tryfirst=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    if database.uses_external_server() or _is_worker(session.config):
        return
    if getattr(session.config.option, "numprocesses", None):
        session.config.stash[_migration] = migrated.in_background()
    else:
        session.config.stash[_server] = migrated.started(_data)


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Tell a worker where the migrated files are."""
    node.workerinput["migrated"] = str(_data)


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> None:
    if _is_worker(session.config) and not database.uses_external_server():
        migrated.copy_from_background(Path(session.config.workerinput["migrated"]), _data)  # type: ignore[attr-defined]
        session.config.stash[_server] = migrated.started(_data)


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config: pytest.Config) -> None:
    if _server in config.stash:
        config.stash[_server].stop()
    if _migration in config.stash:
        config.stash[_migration].kill()
        config.stash[_migration].wait()
    shutil.rmtree(_data, ignore_errors=True)
    if _in_memory in config.stash:
        shutil.rmtree(config.stash[_in_memory], ignore_errors=True)


def _is_worker(config: pytest.Config) -> bool:
    return hasattr(config, "workerinput")
