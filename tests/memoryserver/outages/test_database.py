"""An outage of the database is answered without the database."""

from __future__ import annotations

from collections.abc import Callable

import psycopg
import pytest
from django.db import InternalError, connection
from django.test import Client, RequestFactory

from memoryserver.accounts.models import User
from memoryserver.outages import database as outages
from tests.support.database.refused import refused


def test_outage_begins_when_it_is_first_noticed_and_ends_with_a_connection(transactional_db: None) -> None:
    began = outages.since()
    assert outages.since() == began

    connection.close()
    connection.ensure_connection()

    assert outages.since() > began


@pytest.mark.parametrize(("method", "reloads"), [("get", True), ("post", False)])
def test_page_says_what_works_and_loads_itself_again_unless_something_was_sent(method: str, reloads: bool) -> None:
    answer = outages.page(getattr(RequestFactory(), method)("/entries/"))

    text = answer.content.decode()
    assert (answer.status_code, answer.headers["Retry-After"], answer.headers["Cache-Control"]) == (
        503,
        "10",
        "no-store",
    )
    assert ("<h1>The database is down</h1>" in text, "What still works" in text, "What to do" in text) == (True,) * 3
    assert (('http-equiv="refresh" content="10"' in text), ("may not be stored" in text)) == (reloads, not reloads)


@pytest.fixture
def read_only(alice: User) -> None:
    """As after a failover to a standby; a full disk is answered in the same way."""
    with connection.cursor() as cursor:
        cursor.execute("SET TRANSACTION READ ONLY")


def test_api_of_a_database_that_stores_nothing_says_so(
    alice: User, api: Callable[[User | None], Client], caplog: pytest.LogCaptureFixture
) -> None:
    client = api(alice)
    with connection.cursor() as cursor:
        cursor.execute("SET TRANSACTION READ ONLY")
    entry = {"type": "gotcha", "content": "The exporter needs UTC times"}
    answer = client.post("/api/v1/learnings", entry, content_type="application/json")

    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "10")
    assert answer.json()["detail"] == "the database takes no writes: it is read-only; send the request again later"
    lines = [record.getMessage() for record in caplog.records if record.levelname in ("WARNING", "ERROR")]
    assert set(lines) == {"the database takes no writes: it is read-only", "Service Unavailable: /api/v1/learnings"}


@pytest.mark.parametrize(("method", "reloads"), [("get", True), ("post", False)])
def test_page_of_a_database_that_stores_nothing_says_so(
    method: str, reloads: bool, alice: User, read_only: None
) -> None:
    with pytest.raises(InternalError) as caught:
        User.objects.update(first_name="x")
    try:
        raise caught.value
    except InternalError:
        text = outages.page(getattr(RequestFactory(), method)("/entries/")).content.decode()

    assert ("<h1>Nothing can be stored</h1>" in text, "The database takes no writes: it is read-only" in text) == (
        True,
        True,
    )
    assert (('http-equiv="refresh" content="10"' in text), ("is not stored" in text)) == (reloads, not reloads)


@pytest.mark.parametrize("path", ["/metrics", "/readyz", "/join"])
def test_programs_get_a_line_of_text(path: str) -> None:
    answer = outages.page(RequestFactory().get(path))

    assert (answer.status_code, answer.headers["Content-Type"]) == (503, "text/plain; charset=utf-8")
    assert answer.content.decode() == f"the database cannot be reached since {outages.since():%Y-%m-%d %H:%M:%S} UTC\n"


@pytest.mark.parametrize("path", ["/search/", "/readyz"])
def test_every_answer_is_a_line_of_the_log_with_the_reason(path: str, caplog: pytest.LogCaptureFixture) -> None:
    try:
        raise refused()
    except psycopg.OperationalError:
        outages.page(RequestFactory().get(path))

    (line,) = [record for record in caplog.records if record.name == "memoryserver.outages.database"]
    assert (line.getMessage(), line.path) == ("the database cannot be reached", path)  # type: ignore[attr-defined]
    assert "/nowhere" in line.reason  # type: ignore[attr-defined]
