from __future__ import annotations

import threading
from typing import Any

import pytest
from django.db import OperationalError, connection
from django.test import Client
from django.utils import timezone

from memoryserver import embedding
from memoryserver.accounts.models import User
from memoryserver.ops.models import CLUSTER, Heartbeat
from tests.support.rows.factories import UserFactory

PATHS = ["/healthz", "/readyz", "/metrics"]


def metrics(client: Client, authorization: str | None = None) -> int:
    """The status of the metrics' page."""
    headers = {"authorization": authorization} if authorization is not None else None
    return client.get("/metrics", headers=headers).status_code


def signed_in(**fields: Any) -> Client:
    client = Client()
    client.force_login(UserFactory(**fields))
    return client


def test_process_that_serves_says_so_without_a_database() -> None:
    assert Client().get("/healthz").content == b"ok\n"


def test_readiness_names_each_check(db: None) -> None:
    answer = Client().get("/readyz")

    assert list(answer.json()["checks"]) == ["database", "migrations", "job cluster", "embedding model"]


def test_server_whose_database_is_down_is_not_ready_and_one_line_says_why(
    db: None, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(*args: Any) -> None:
        raise OperationalError("the connection is closed")

    with connection.execute_wrapper(refuse):
        answer = Client().get("/readyz")

    assert (answer.status_code, answer.json()) == (
        503,
        {
            "ready": False,
            "complete": False,
            "checks": {"database": {"good": False, "detail": "the connection is closed"}},
        },
    )
    (line,) = [record for record in caplog.records if record.name == "memoryserver.ops.views"]
    assert (line.levelname, line.getMessage()) == ("WARNING", "the server is not ready")
    assert line.reason == "database: the connection is closed"  # type: ignore[attr-defined]


@pytest.mark.parametrize(("loaded", "expected"), [(True, (200, 200, True)), (False, (200, 503, False))])
def test_server_whose_model_still_loads_is_ready_and_not_complete(
    loaded: bool, expected: tuple[int, int, bool], db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedding, "_loads_in_background", threading.Event())
    monkeypatch.setattr(embedding, "_loaded", threading.Event())
    embedding._loads_in_background.set()
    Heartbeat.objects.create(name=CLUSTER, beat_at=timezone.now())
    if loaded:
        embedding.load()

    answer = Client().get("/readyz")

    assert (answer.status_code, Client().get("/readyz?complete=1").status_code, answer.json()["complete"]) == expected
    assert answer.json()["ready"] is True


@pytest.mark.parametrize("path", PATHS)
def test_probes_accept_no_post(path: str) -> None:
    assert Client().post(path).status_code == 405


def test_metrics_are_in_the_format_that_prometheus_reads(db: None) -> None:
    answer = signed_in(is_staff=True).get("/metrics")

    assert answer.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
    assert "\nmemoryserver_jobs_waiting 0\n" in answer.content.decode()


def test_metrics_are_for_administrators(db: None) -> None:
    nobody, user, administrator = Client(), signed_in(), signed_in(is_staff=True)

    assert [metrics(client) for client in (nobody, user, administrator)] == [401, 401, 200]


def test_refusal_of_metrics_says_how_to_get_in_and_nothing_else(db: None) -> None:
    Heartbeat.objects.create(name="job cluster", beat_at="2026-11-20T12:00:00Z")

    answer = Client().get("/metrics")

    assert answer.headers["WWW-Authenticate"] == "Bearer"
    assert answer.content.decode() == (
        "send MEMORYSERVER_METRICS_TOKEN as a bearer token, or sign in as an administrator\n"
    )


def test_metrics_are_given_for_the_token_of_the_settings(db: None, settings: Any) -> None:
    settings.METRICS_TOKEN = "s3cret"

    headers = ["Bearer s3cret", "Bearer s3cre", "Bearer s3cret ", "s3cret", "Basic s3cret", "Bearer", "Bearer ü"]
    assert [metrics(Client(), header) for header in headers] == [200, 401, 401, 401, 401, 401, 401]


@pytest.mark.parametrize("authorization", ["Bearer ", "Bearer", "Bearer None", ""])
def test_server_without_a_token_accepts_none(db: None, settings: Any, authorization: str) -> None:
    settings.METRICS_TOKEN = ""

    assert metrics(Client(), authorization) == 401


def test_wrong_token_is_refused_even_with_an_administrators_session(db: None, settings: Any) -> None:
    settings.METRICS_TOKEN = "s3cret"

    assert metrics(signed_in(is_staff=True), "Bearer wrong") == 401


def test_administrator_who_was_deactivated_gets_no_metrics(db: None) -> None:
    client = signed_in(is_staff=True)
    User.objects.update(is_active=False)

    assert metrics(client) == 401
