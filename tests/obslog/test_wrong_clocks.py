"""Observations of laptops whose clock is wrong: kept as reported, ordered and found by their arrival."""

from __future__ import annotations

import threading
import time
import uuid
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client

from memoryserver.accounts.models import User
from memoryserver.common.ids import milliseconds_of, uuid7
from obslog import incoming, log, reading
from obslog.log import Receipt
from obslog.models import Observation
from obslog.query import Filter
from tests.support.rows.observations import MOMENT, new

DAY = 86_400_000
YEARS: dict[str, int] = {
    "1970": 0,
    "2019": int(datetime(2019, 12, 31, 23, 59, tzinfo=UTC).timestamp()) * 1000,
    "2099": int(datetime(2099, 1, 1, tzinfo=UTC).timestamp()) * 1000,
    "9999": incoming.END_OF_TIME - 1,
}
wrong_years = pytest.mark.parametrize("moment", YEARS.values(), ids=YEARS)


def now() -> int:
    return time.time_ns() // 1_000_000


def messages(page: log.Page) -> list[str]:
    return [row.message for row in page.observations]


@wrong_years
def test_time_of_arrival_counts_and_the_reported_one_is_kept(alice: User, moment: int) -> None:
    before, identifier = now(), uuid7(moment)

    receipt = log.append(alice, new(id=identifier, scope_ids=["a"]))

    row = Observation.objects.get()
    assert receipt == Receipt(identifier, "stored")
    assert before <= row.created_at == milliseconds_of(row.pk) <= now()
    assert (row.reported_id, row.reported_at, row.scope_ids) == (identifier, moment, ["a"])


@pytest.mark.parametrize("seconds", [-3600, 0, 30])
def test_clock_that_differs_a_little_is_believed(alice: User, seconds: int) -> None:
    identifier = uuid7(now() + seconds * 1000)

    log.append(alice, new(id=identifier))

    row = Observation.objects.get()
    assert (row.pk, row.reported_id, row.reported_at) == (identifier, None, None)


def test_clock_that_is_an_hour_ahead_is_not(alice: User) -> None:
    log.append(alice, new(id=uuid7(now() + 3_600_000)))

    assert Observation.objects.get().reported_at is not None


def test_time_without_an_id_is_bounded_too(alice: User) -> None:
    receipt = log.append(alice, new(created_at=YEARS["2099"]))

    row = Observation.objects.get()
    assert (row.pk, row.reported_at) == (receipt.id, YEARS["2099"])


def test_what_is_appended_later_is_the_newest(alice: User) -> None:
    ahead = [new(id=uuid7(YEARS["2099"] + step), message=f"ahead {step}") for step in range(3)]
    log.append_all(alice, [new(message="before", created_at=MOMENT), *ahead])
    time.sleep(0.002)
    log.append(alice, new(message="after"))

    ordered = ["before", "ahead 0", "ahead 1", "ahead 2", "after"]
    assert messages(log.find_many(alice)) == ordered
    assert messages(log.find_recent(alice, limit=2)) == ordered[-2:]
    pages, cursor = [], None
    for _ in range(5):
        page = log.find_many(alice, limit=1, cursor=cursor)
        pages += messages(page)
        cursor = page.cursor
    assert pages == ordered


def test_filters_by_time_compare_the_time_of_arrival(alice: User) -> None:
    log.append_all(alice, [new(id=uuid7(moment), message=year) for year, moment in YEARS.items()])

    assert set(messages(log.find_many(alice, Filter(after_date=now() - DAY, before_date=now() + DAY)))) == set(YEARS)
    assert messages(log.find_many(alice, Filter(after_date=now() + DAY))) == []
    assert messages(log.find_many(alice, Filter(before_date=now() - DAY))) == []


@wrong_years
def test_same_one_again_is_unchanged(alice: User, moment: int) -> None:
    one = new(id=uuid7(moment))
    assert [receipt.status for receipt in log.append_all(alice, [one, one])] == ["stored", "unchanged"]

    assert log.append(alice, one) == Receipt(one.id, "unchanged")
    assert Observation.objects.count() == 1


def test_same_one_again_after_its_time_has_come_is_unchanged(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    one = new(id=uuid7(now() + DAY))
    log.append(alice, one)
    monkeypatch.setattr(incoming, "CLOCK_SKEW", timedelta(days=2))

    assert log.append_all(alice, [one, new(id=one.id)]) == [Receipt(one.id, "unchanged")] * 2
    assert Observation.objects.count() == 1


def test_id_of_another_user_tells_nothing_of_it(alice: User, charlie: User) -> None:
    one = new(id=uuid7(YEARS["2099"]))

    assert [log.append(user, one).status for user in (alice, charlie)] == ["stored", "stored"]


@pytest.mark.django_db(transaction=True)
def test_same_new_one_many_times_at_once_is_stored_once(alice: User) -> None:
    sent = [new(id=uuid7(YEARS["2099"] + step)) for step in range(20)]
    receipts: list[list[Receipt]] = []

    def send() -> None:
        try:
            receipts.append(log.append_all(alice, sent))
        finally:
            connection.close()

    threads = [threading.Thread(target=send) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert Observation.objects.count() == 20
    statuses = [receipt.status for several in receipts for receipt in several]
    assert (statuses.count("stored"), statuses.count("unchanged")) == (20, 60)


def test_it_lies_in_the_month_of_its_arrival(alice: User) -> None:
    log.append(alice, new(id=uuid7(YEARS["2099"]), scope_ids=["a"]))

    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT tableoid::regclass::text FROM obslog_observation "
            "UNION ALL SELECT tableoid::regclass::text FROM obslog_scope"
        )
        tables = [name for (name,) in cursor.fetchall()]
    month = datetime.now(UTC).strftime("%Y_%m")
    assert sorted(tables) == [f"obslog_observation_{month}", f"obslog_scope_{month}"]


def test_both_times_are_in_the_api_the_document_and_the_admin(alice: User, api: Any, admin_client: Client) -> None:
    identifier = uuid7(YEARS["2099"])
    client = api(alice)
    body = {"type": "t.x", "source": "agent:a", "message": "far", "id": str(identifier)}
    assert client.post("/api/v1/observations", body, content_type="application/json").json()["id"] == str(identifier)
    row = Observation.objects.get(type="t.x")

    (found,) = client.get("/api/v1/observations", {"type": "t.x"}).json()["observations"]
    full = client.get("/api/v1/observations", {"type": "t.x", "mode": "full"}).content.decode()
    (document,) = reading.read(alice, str(identifier))
    listed = admin_client.get("/admin/obslog/observation/", {"q": str(identifier)}).content.decode()
    shown = admin_client.get(f"/admin/obslog/observation/{row.pk}/change/").content.decode()

    assert (found["id"], found["created_at"], found["reported_at"]) == (str(row.pk), row.created_at, YEARS["2099"])
    assert full.splitlines()[0].endswith("source=agent:a reported=2099-01-01T00:00:00.000Z")
    assert (document.key, document.details["reported_at"]) == (str(row.pk), YEARS["2099"])
    assert ["2099-01-01 00:00:00.000" in page for page in (listed, shown)] == [True, True]


@pytest.mark.parametrize(
    "times",
    [
        {"created_at": -1},
        {"created_at": 10**30},
        {"created_at": "2026-11-20T12:00:00"},
        {"created_at": "tomorrow"},
        {"created_at": 1.5},
        {"created_at": []},
        {"id": str(uuid.UUID(int=2**128 - 1))},
        {"id": "tomorrow"},
    ],
    ids=str,
)
def test_time_that_is_none_is_refused_and_nothing_is_stored(alice: User, api: Any, times: dict[str, Any]) -> None:
    body = {"type": "t.x", "source": "agent:a", "message": "far", **times}

    response = api(alice).post("/api/v1/observations", body, content_type="application/json")

    assert (response.status_code, Observation.objects.filter(type="t.x").count()) == (422, 0)
