"""Two web processes, three job workers, Redis, Postgres and a replica: one of each is killed while agents work."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.database.migrated import Migrated
from tests.support.processes.installation import Installation
from tests.support.processes.traffic import Traffic, wrong_rows


@pytest.fixture
def installation(tmp_path: Path, migrated: Migrated) -> Iterator[Installation]:
    migrated.files(tmp_path / "primary")
    settings = {"MEMORYSERVER_JOB_LEASE_SECONDS": "8", "MEMORYSERVER_REQUESTS_PER_MINUTE": "1000000"}
    with Installation(tmp_path, webs=2, workers=3, redis=True, replica=True, settings=settings) as running:
        yield running


def schedule_once(installation: Installation, folder: Path) -> Path:
    """Schedule a job that all workers see, and return the file with a line for each of its runs."""
    installation.execute(
        "INSERT INTO django_q_schedule (func, args, schedule_type, repeats, next_run) "
        "VALUES ('tests.support.processes.long_job.record_and_hold', %s, 'O', -1, now())",
        f"'{folder}'",
    )
    return folder / "runs"


def wait_until_searches_read_the_replica(installation: Installation) -> None:
    """A connection at the replica is one of search's: nothing else goes there."""
    readers = "SELECT count(*) FROM pg_stat_activity WHERE datname = 'memoryserver' AND pid <> pg_backend_pid()"
    installation.wait(lambda: installation.query(readers, "replica") != [(0,)], "no search reads the replica")


def runs(path: Path) -> list[int]:
    return [int(line) for line in path.read_text().split()] if path.exists() else []


def test_nothing_acknowledged_is_lost_when_one_of_each_is_killed(installation: Installation, tmp_path: Path) -> None:
    traffic = Traffic(installation.addresses, installation.token, agents=4, pause=0.1)
    traffic.start()
    try:
        wait_until_searches_read_the_replica(installation)
        recorded = schedule_once(installation, tmp_path)
        installation.wait(lambda: len(runs(recorded)) == 1, "the job was not run")
        worker = next(part for part in installation.parts.values() if part.process.pid == runs(recorded)[0])
        for disturb in (
            worker.kill,
            installation.parts["web 1"].kill,
            lambda: installation.redis.stop() if installation.redis else None,
            installation.kill_database,
            lambda: installation.kill_database("replica"),
        ):
            disturb()
            installation.run_for(1.5)
        installation.wait(lambda: len(runs(recorded)) == 2, "the job of the dead worker was not run again")
        (tmp_path / "ended").touch()
        before = dict(traffic.by_address)
        installation.wait(
            lambda: all(traffic.by_address[address] > before.get(address, 0) + 5 for address in installation.addresses),
            "a web process does not work again",
        )
    finally:
        traffic.stop()

    assert wrong_rows(installation.database(), traffic.acknowledged) == []
    assert traffic.refused == []
    assert [found for found in traffic.failed_requests if found not in installation.logs()] == []
    assert {name: part.starts for name, part in installation.parts.items() if part.starts > 1} == {
        "web 1": 2,
        worker.name: 2,
    }
    assert len(set(runs(recorded))) == 2  # by two workers, once each
