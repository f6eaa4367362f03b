from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import OperationalError, connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client
from django.utils import timezone

from memoryserver import embedding
from memoryserver.embedding.shared.client import SharedService
from memoryserver.ops import health
from memoryserver.ops.health import HEARTBEAT_LIMIT, Check
from memoryserver.ops.models import CLUSTER, Heartbeat
from tests.memoryserver.embedding.shared.serving import serving
from tests.support.embedder import WordEmbedder

pytestmark = pytest.mark.django_db


@contextmanager
def database_down() -> Iterator[None]:
    def refuse(*args: Any) -> None:
        raise OperationalError("the connection\n  is closed")

    with connection.execute_wrapper(refuse):
        yield


def check(name: str) -> Check:
    return {check.name: check for check in health.checks()}[name]


def test_server_whose_database_is_down_has_that_one_check() -> None:
    with database_down():
        assert health.checks() == [Check("database", False, "the connection is closed", required=True)]


def test_database_and_migrations_of_a_working_server_are_good() -> None:
    database, migrations, *_ = health.checks()

    assert (database, migrations) == (Check("database", True, "answers"), Check("migrations", True, "applied"))


def test_missing_migration_is_counted_with_the_command_that_applies_it() -> None:
    for app in ("digest", "hooks"):
        (leaf,) = MigrationLoader(connection).graph.leaf_nodes(app)
        MigrationRecorder(connection).record_unapplied(*leaf)

    assert check("migrations") == Check("migrations", False, "2 to apply; run: manage.py migrate", required=True)


def test_database_that_was_never_prepared_lacks_all_migrations() -> None:
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE django_migrations RENAME TO others")

    assert check("migrations") == Check(
        "migrations", False, f"{len(MigrationLoader(None).graph.nodes)} to apply; run: manage.py migrate", required=True
    )


def test_migration_is_missed_and_found_again_at_once() -> None:
    recorder = MigrationRecorder(connection)
    (leaf,) = MigrationLoader(connection).graph.leaf_nodes("hooks")
    seen = [check("migrations").good]
    recorder.record_unapplied(*leaf)
    seen.append(check("migrations").good)
    recorder.record_applied(*leaf)
    assert [*seen, check("migrations").good] == [True, False, True]


@pytest.mark.parametrize(("late", "good"), [(timedelta(seconds=-20), True), (timedelta(seconds=1), False)])
def test_cluster_is_good_until_its_heartbeat_is_late(late: timedelta, good: bool) -> None:
    Heartbeat.objects.create(name=CLUSTER, beat_at=timezone.now() - HEARTBEAT_LIMIT - late)

    assert check("job cluster").good is good


def test_cluster_that_never_ran_is_not_good() -> None:
    Heartbeat.objects.create(name="job some.job", beat_at=timezone.now())

    cluster = check("job cluster")

    assert (cluster.good, cluster.detail) == (False, "not seen yet")


@pytest.fixture
def web_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that loads the model in the background, and has not yet."""
    monkeypatch.setattr(embedding, "_loads_in_background", threading.Event())
    monkeypatch.setattr(embedding, "_loaded", threading.Event())
    embedding._loads_in_background.set()


@pytest.mark.usefixtures("web_process")
def test_server_without_its_model_is_ready_all_the_same() -> None:
    before = check("embedding model")
    embedding.load()

    assert [before, check("embedding model")] == [
        Check("embedding model", False, "still loading; searches match words alone", required=False),
        Check("embedding model", True, "loaded", required=False),
    ]


def test_model_that_could_not_be_loaded_says_why(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    loaded = threading.Event()
    monkeypatch.setattr(embedding, "_loads_in_background", threading.Event())
    monkeypatch.setattr(embedding, "_loaded", loaded)
    monkeypatch.setattr(embedding, "_failures", [])
    monkeypatch.setattr(embedding, "_LONGEST_PAUSE", 0.05)
    monkeypatch.setattr(embedding, "service", lambda: SharedService("words-64", str(tmp_path / "socket")))

    thread = embedding.load_in_background()
    deadline = time.monotonic() + 20
    while (failed := check("embedding model")).detail.startswith("still loading") and time.monotonic() < deadline:
        time.sleep(0.02)
    loaded.set()
    thread.join(10)

    assert failed.detail == (
        "it could not be loaded (the embedding process does not run (No such file or directory)), and is tried again; "
        "searches match words alone"
    )


def test_process_that_does_not_load_the_model_asks_the_embedding_process(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(embedding, "_loads_in_background", threading.Event())
    monkeypatch.setattr(embedding, "_loaded", threading.Event())
    monkeypatch.setattr(embedding, "service", lambda: SharedService("words-64", str(tmp_path / "socket")))
    with serving(tmp_path / "socket", WordEmbedder()):
        running = check("embedding model")

    assert (running.good, check("embedding model").good) == (True, False)


def test_embedding_process_that_has_ended_is_seen(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(embedding, "_loaded", threading.Event())
    monkeypatch.setattr(embedding, "service", lambda: SharedService("words-64", str(tmp_path / "socket")))
    with serving(tmp_path / "socket", WordEmbedder()):
        embedding.load()
        before = check("embedding model")

    assert [before.good, check("embedding model").detail] == [
        True,
        "the embedding process does not respond; searches match words alone",
    ]


@pytest.mark.parametrize(
    ("seconds", "status"),
    [pytest.param(5, 200, id="recent"), pytest.param(65, 503, id="late"), pytest.param(None, 503, id="never")],
)
def test_server_is_ready_while_a_job_worker_makes_progress(seconds: int | None, status: int) -> None:
    if seconds is not None:
        Heartbeat.objects.create(name=CLUSTER, beat_at=timezone.now() - timedelta(seconds=seconds))

    response = Client().get("/readyz")

    body = response.json()
    assert (response.status_code, body["ready"]) == (status, status == 200)
    assert body["checks"]["job cluster"]["good"] is (status == 200)
