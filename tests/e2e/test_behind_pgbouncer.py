"""A web process and job workers behind PgBouncer, which pools their connections by transaction."""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.request
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.database.migrated import Migrated
from tests.support.processes.installation import Installation
from tests.support.processes.server_process import ROOT
from tests.support.processes.traffic import Traffic, wrong_rows

SESSION_LOCKS = """
SELECT count(*) FROM pg_locks JOIN pg_stat_activity USING (pid)
WHERE locktype = 'advisory' AND state = 'idle'
"""


@pytest.fixture
def installation(tmp_path: Path, migrated: Migrated) -> Iterator[Installation]:
    migrated.files(tmp_path / "primary")
    settings = {"MEMORYSERVER_JOB_LEASE_SECONDS": "8", "MEMORYSERVER_REQUESTS_PER_MINUTE": "1000000"}
    with Installation(tmp_path, workers=2, redis=True, pgbouncer=True, settings=settings) as running:
        yield running


def asked(installation: Installation, path: str) -> bytes:
    request = urllib.request.Request(
        installation.addresses[0] + path, headers={"Authorization": f"Bearer {installation.token}"}
    )
    with urllib.request.urlopen(request, timeout=60) as response:
        return bytes(response.read())


def kill_pgbouncer(installation: Installation) -> None:
    assert installation.pgbouncer is not None
    installation.pgbouncer.kill()


def test_nothing_acknowledged_is_lost_and_all_is_done(installation: Installation, tmp_path: Path) -> None:
    traffic = Traffic(installation.addresses, installation.token, agents=4, pause=0.1)
    traffic.start()
    try:
        for disturb in (
            lambda: None,
            lambda: kill_pgbouncer(installation),
            installation.parts["worker 1"].kill,
            installation.kill_database,
            installation.parts["web 1"].kill,
        ):
            disturb()
            installation.run_for(2)
    finally:
        traffic.stop()

    installation.wait(lambda: installation.is_up(installation.addresses[0]), "the web process does not work again")
    assert wrong_rows(installation.database(), traffic.acknowledged) == []
    assert traffic.refused == []
    assert [found for found in traffic.failed_requests if found not in installation.logs()] == []
    for table in ("ghap_entry", "capture_learning"):
        waits = f"SELECT count(*) FROM {table} WHERE embedded_digest <> content_digest"
        installation.wait(lambda waits=waits: installation.query(waits) == [(0,)], f"{table} waits to be embedded")  # type: ignore[misc]
    installation.wait(lambda: installation.query("SELECT count(*) FROM obslog_unembedded") == [(0,)], "the log waits")
    check_that_no_lock_is_left(installation)
    check_what_else_needs_sessions(installation, tmp_path, Counter(table for table, _ in traffic.acknowledged))


def check_that_no_lock_is_left(installation: Installation) -> None:
    """A lock of a session that PgBouncer keeps would end the jobs that need it, for all time."""
    installation.wait(lambda: installation.query(SESSION_LOCKS) == [(0,)], "a lock is left", limit=20)


def check_what_else_needs_sessions(installation: Installation, folder: Path, acknowledged: Counter[str]) -> None:
    """An export, which is streamed, a second preparation, the log's cursor, the doctor and a backup."""
    exported = [json.loads(line) for line in asked(installation, "/api/v1/export").splitlines()]
    assert len(exported) > acknowledged["call"] + acknowledged["entry"] + acknowledged["learning"]
    observed = json.loads(asked(installation, "/api/v1/observations?type=task.updated&limit=1000"))["observations"]
    assert len(observed) == acknowledged["observation"]
    assert installation.manage("prepare") == "The database is prepared.\n"
    found = {check["check"]: check["findings"] for check in json.loads(doctor(installation))["checks"]}
    assert [found[name] for name in ("database", "PgBouncer", "pgvector", "migrations")] == [[], [], [], []]
    installation.manage("backup", str(folder / "memory.backup"))
    assert "is whole" in installation.manage("backup", "--check", str(folder / "memory.backup"))


def doctor(installation: Installation) -> str:
    """What the doctor finds, as JSON; it may find other things, of this machine."""
    command = [sys.executable, str(ROOT / "manage.py"), "doctor", "--json"]
    return subprocess.run(command, env=installation.environment, capture_output=True, text=True, check=False).stdout
