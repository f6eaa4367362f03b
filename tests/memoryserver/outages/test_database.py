"""An outage of the database is answered without the database."""

from __future__ import annotations

import psycopg
import pytest
from django.db import connection
from django.test import RequestFactory

from memoryserver.outages import database as outages
from tests.support.refused import refused


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
