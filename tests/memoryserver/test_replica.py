"""The routing of search's reads; tests/e2e/test_past_one_machine.py has a replica that follows."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import psycopg
import pytest
from django.db import OperationalError, connections
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from memoryserver import replica
from memoryserver.accounts.models import User
from memoryserver.database import configurations
from memoryserver.ops.models import CLUSTER, Heartbeat
from memoryserver.replica import ReplicaRouter, with_replica
from memoryserver.search.service import Search, search
from tests.support.processes.deployment import empty_database
from tests.support.rows.factories import UserFactory

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def same_database(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The replica is the tests' database itself."""
    Heartbeat.objects.create(name=CLUSTER, beat_at=timezone.now())
    yield from add(monkeypatch, dict(connections.settings["default"]))


@pytest.fixture
def other_database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The replica is a database that knows a heartbeat of two minutes ago; yields its address."""
    Heartbeat.objects.create(name=CLUSTER, beat_at=timezone.now())
    with empty_database() as address:
        with psycopg.connect(address) as connection:
            connection.execute("CREATE TABLE ops_heartbeat (name text, beat_at timestamptz)")
            connection.execute("INSERT INTO ops_heartbeat VALUES ('x', %s)", [timezone.now() - timedelta(minutes=2)])
        monkeypatch.setenv("MEMORYSERVER_REPLICA_URL", address)
        settings = configurations(tmp_path)["replica"]
        for _ in add(monkeypatch, {**connections.settings["default"], **settings}):
            yield address


def add(monkeypatch: pytest.MonkeyPatch, settings: dict[str, object]) -> Iterator[None]:
    monkeypatch.setitem(connections.settings, "replica", settings)
    monkeypatch.setattr(replica._State, "paused_until", 0.0)
    monkeypatch.setattr(replica._State, "next_check", 0.0)
    connection = connections["replica"]

    def connect() -> None:
        if connection.connection is None:
            with connection.wrap_database_errors:
                connection.connect()

    # The tests' guard against databases that they do not name is of the class, and knows none that are added.
    monkeypatch.setattr(connection, "ensure_connection", connect)
    yield
    connection.close()
    del connections["replica"]


def test_without_a_replica_reads_go_to_the_database() -> None:
    assert with_replica(replica.alias) == "default"


def test_reads_within_the_call_go_to_the_replica_and_writes_do_not(same_database: None) -> None:
    router = ReplicaRouter()

    def databases() -> tuple[str, str, str]:
        return router.db_for_read(User), router.db_for_write(User), replica.connection().alias

    assert with_replica(databases) == ("replica", "default", "replica")
    assert databases() == ("default", "default", "default")


def test_migrations_leave_the_replica_alone() -> None:
    router = ReplicaRouter()

    assert (router.allow_migrate("default", "ghap"), router.allow_migrate("replica", "ghap")) == (True, False)
    assert router.allow_relation(User(), User())


def test_replica_that_fails_is_replaced_by_the_database_and_not_asked_for_a_while(same_database: None) -> None:
    asked: list[str] = []

    def read() -> str:
        asked.append(replica.alias())
        if replica.alias() == "replica":
            raise OperationalError("canceling statement due to conflict with recovery")
        return "result"

    assert [with_replica(read), with_replica(read)] == ["result", "result"]
    assert asked == ["replica", "default", "default"]


def test_error_of_the_read_itself_is_raised_once(same_database: None) -> None:
    asked: list[str] = []

    def read() -> None:
        asked.append(replica.alias())
        raise ValueError

    with pytest.raises(ValueError):  # noqa: PT011  (it is raised here)
        with_replica(read)
    assert (asked, replica.alias()) == (["replica"], "default")


def test_replica_that_is_too_far_behind_is_not_asked_until_it_has_caught_up(
    other_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert with_replica(replica.alias) == "default"

    with psycopg.connect(other_database) as connection:
        connection.execute("UPDATE ops_heartbeat SET beat_at = now()")
    monkeypatch.setattr(replica._State, "paused_until", 0.0)

    assert with_replica(replica.alias) == "replica"


def test_replica_that_cannot_be_reached_is_not_asked(same_database: None) -> None:
    connections.settings["replica"]["HOST"] = "/nowhere"

    assert with_replica(replica.alias) == "default"


def test_search_reads_the_replica_alone(same_database: None) -> None:
    alice = UserFactory(username="alice")
    with_replica(replica.alias)  # looks how far behind the replica is

    with CaptureQueriesContext(connections["replica"]) as there, CaptureQueriesContext(connections["default"]) as here:
        search(alice, Search(query="deadlock", mode="lexical"))

    assert len(there) > 0
    assert [query["sql"] for query in here] == []
