from __future__ import annotations

from django.test import Client


def test_process_that_serves_says_so_without_a_database() -> None:
    assert Client().get("/healthz").content == b"ok\n"


def test_readiness_names_each_check(db: None) -> None:
    answer = Client().get("/readyz")

    assert answer.status_code == 200
    assert list(answer.json()["checks"]) == ["database", "migrations", "job cluster", "embedding model"]
