"""The page of the operation: for administrators, with what is wrong and buttons that do something about it."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from django_q.models import OrmQ, Task

from capture import failures
from capture.models import CaptureFailure
from ghap.intake import receive
from ghap.models import Entry
from memoryserver.accounts.models import User
from memoryserver.ops.schedules import ensure_schedules
from tests.support.rows import many_rows
from tests.support.rows.factories import UserFactory
from tests.support.rows.ghap_entries import body


@pytest.fixture
def root(db: None) -> Client:
    client = Client()
    client.force_login(UserFactory(username="root", is_staff=True, is_superuser=True))
    return client


def ran(function: str, *, success: bool, result: str = "") -> None:
    now = timezone.now()
    begun = now - timedelta(seconds=90)
    Task.objects.create(
        id=f"{Task.objects.count():032x}", name="t", func=function, started=begun, stopped=now, success=success,
        result=result,
    )  # fmt: skip


def test_jobs_say_when_they_ran_how_long_and_what_failed(root: Client) -> None:
    ensure_schedules()
    ran("ghap.jobs.find_clusters", success=True)
    ran("capture.jobs.embed_pending", success=False, result="Traceback\nModelError: no model")
    page = root.get("/operations/").content.decode()

    row = page.partition('title="ghap.jobs.find_clusters"')[2].partition("</tr>")[0]
    assert ("1 min" in row, "failed" in row) == (True, False)
    broken = page.partition('title="capture.jobs.embed_pending"')[2].partition("</tr>")[0]
    assert ("ModelError: no model" in broken, "Traceback" in page) == (True, False)
    assert page.count("Run again: capture.jobs.embed_pending") == 1


def test_job_is_run_now_and_an_unknown_one_is_not(root: Client) -> None:
    OrmQ.objects.all().delete()
    with_job = root.post("/operations/run/", {"function": "ghap.jobs.find_clusters"}, follow=True)
    assert "ghap.jobs.find_clusters is in the queue." in with_job.content.decode()
    assert root.post("/operations/run/", {"function": "os.abort"}).status_code == 404


def test_row_that_failed_too_often_is_tried_again(root: Client, alice: User) -> None:
    receive(alice, None, [body()])
    Entry.objects.update(embed_attempts=7, embed_error="too long")
    assert "of which 1 failed five times or more" in root.get("/operations/").content.decode()

    answer = root.post("/operations/embed/", {"model": "ghap.entry"}, follow=True)
    assert "1 are embedded again within a minute." in answer.content.decode()
    assert Entry.objects.get().embed_attempts == 0
    assert root.post("/operations/embed/", {"model": "auth.user"}).status_code == 404


def test_files_that_were_not_stored_and_laptops_with_failures_are_listed(root: Client, alice: User) -> None:
    failures.record(alice, capture_id="c", context_id="x", reason="the context has another owner")
    many_rows.laptops(alice, 2)
    page = root.get("/operations/").content.decode()
    key = CaptureFailure.objects.get().pk
    assert f"/admin/capture/capturefailure/{key}/change/" in page
    for words in ("the context has another owner", "laptop-1.", "silent", "0 of 0 sessions of 30 days"):
        assert words in page


def test_number_of_queries_does_not_grow(root: Client, alice: User) -> None:
    counts = []
    for number in (1, 29):
        for n in range(number):
            failures.record(alice, capture_id=f"c{number}-{n}", context_id="x", reason="odd")
            ran("ghap.jobs.find_clusters", success=False, result="x")
        root.get("/operations/")
        with CaptureQueriesContext(connection) as queries:
            assert root.get("/operations/").status_code == 200
        counts.append(len(queries))
    assert counts[0] == counts[1]


@pytest.mark.parametrize("path", ["/operations/", "/operations/run/", "/operations/embed/"])
def test_page_is_for_administrators(path: str, alice: User) -> None:
    client: Any = Client()
    client.force_login(alice)
    assert (client.post if path.count("/") > 2 else client.get)(path).status_code == 404
