"""What Postgres does for the documented questions: it reads from indexes, at any size."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from memoryserver.accounts.models import User
from memoryserver.common.ids import milliseconds_of
from obslog import indexing, log, partitions, reading
from obslog.incoming import NewObservation
from obslog.models import Observation, SearchMark
from obslog.query import Filter

ROWS = 100_000

_LOAD = """
INSERT INTO obslog_observation (id, user_id, type, source, message, data, created_at)
SELECT (lpad(to_hex(moment), 12, '0') || '7000' || '8' || lpad(to_hex(number), 15, '0'))::uuid,
    (%s::bigint[])[1 + number %% 3], 'type.' || number %% 10,
    CASE WHEN number %% 50 < 3 THEN 'system:' || number %% 7 ELSE 'agent:' || number / 300 END,
    'message ' || number, jsonb_build_object('n', number), moment
FROM (SELECT number, %s + number * ((%s - %s) / %s) AS moment FROM generate_series(1, %s) AS number) AS numbered
"""
_LOAD_SCOPES = """
INSERT INTO obslog_scope (observation_id, scope_id, user_id)
SELECT id, unnest(ARRAY['task-' || (data->>'n')::int / 20, 'project-' || (data->>'n')::int % 4]), user_id
FROM obslog_observation WHERE data ? 'n'
"""


@dataclass(frozen=True)
class Large:
    """A log of some size: one of its users, and times in it."""

    user: User
    middle: int
    day: int = 86_400_000


@pytest.fixture(scope="module")
def large(django_db_setup: None, django_db_blocker: Any) -> Iterator[Large]:
    """Three users' observations, thousands in each month and before the first, as Postgres knows them after a while."""
    with django_db_blocker.unblock():
        months = partitions.months()
        first, last = (milliseconds_of(month.first_id) for month in (months[0].plus(-1), months[-1].plus(1)))
        users = [User.objects.create(username=f"user {number}") for number in range(3)]
        with connection.cursor() as cursor:
            cursor.execute("TRUNCATE obslog_observation, obslog_scope")  # also what deleted rows left
            cursor.execute("SET session_replication_role = replica")  # no foreign keys looked up, for speed
            cursor.execute(_LOAD, [[user.pk for user in users], first, last, first, ROWS + 1, ROWS])
            cursor.execute(_LOAD_SCOPES)
            cursor.execute("SET session_replication_role = DEFAULT")
            cursor.execute("VACUUM ANALYZE obslog_observation, obslog_scope")
        yield Large(users[0], (first + last) // 2)
        with connection.cursor() as cursor:
            cursor.execute("TRUNCATE obslog_observation, obslog_scope")
        User.objects.all().delete()
        connection.close()


def plans(ask: Callable[[], object]) -> list[dict[str, Any]]:
    """The plan of each query that `ask` makes of the log's tables."""
    with CaptureQueriesContext(connection) as queries:
        ask()
    found = []
    with connection.cursor() as cursor:
        for query in queries.captured_queries:
            if "obslog_" in query["sql"]:
                cursor.execute(f"EXPLAIN (FORMAT JSON) {query['sql']}")
                (plan,) = cursor.fetchone()
                found.append((plan if isinstance(plan, list) else json.loads(plan))[0]["Plan"])
    return found


def nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for child in plan.get("Plans", []):
        yield from nodes(child)


def sequential_scans(ask: Callable[[], object]) -> set[str]:
    return {
        node["Relation Name"]
        for plan in plans(ask)
        for node in nodes(plan)
        if node["Node Type"] == "Seq Scan" and node["Relation Name"].startswith("obslog_")
    }


def test_no_documented_question_reads_a_table_from_end_to_end(db: None, large: Large) -> None:
    user, middle, day = large.user, large.middle, large.day
    paged = log.find_many(user, limit=5).cursor
    followed = log.find_many(user, limit=1000, offset=ROWS // 3 - 20).cursor
    log.append_all(user, [NewObservation("a", "a:b", "new") for _ in range(3)])
    filters = {
        "all": Filter(),
        "type": Filter(type="type.4"),
        "rare type": Filter(type="nothing"),
        "category": Filter(source="system:"),
        "common category": Filter(source="agent:"),
        "agent": Filter(source="agent:40"),
        "prefix": Filter(source="agent:4"),
        "shortest prefix": Filter(source="a"),
        "task": Filter(scope_ids=["task-300"]),
        "project": Filter(scope_ids=["project-1"]),
        "scopes": Filter(scope_ids=["task-300", "task-301", "project-1"]),
        "scope and type": Filter(scope_ids=["project-1"], type="type.4"),
        "scope and source": Filter(scope_ids=["task-300"], source="agent:"),
        "dates": Filter(after_date=middle, before_date=middle + day),
        "dates and type": Filter(type="type.4", after_date=middle, before_date=middle + day),
        "since": Filter(source="system:", after_date=middle),
    }
    questions: dict[str, Callable[[Filter], object]] = {
        "oldest": lambda wanted: log.find_many(user, wanted),
        "newest": lambda wanted: log.find_many(user, wanted, order="desc"),
        "recent": lambda wanted: log.find_recent(user, wanted),
        "further": lambda wanted: log.find_many(user, wanted, offset=100),
        "next page": lambda wanted: log.find_many(user, wanted, cursor=paged),
        "follow": lambda wanted: log.find_many(user, wanted, cursor=followed),
    }

    scanned = {
        f"{name} by {what}": tables
        for name, question in questions.items()
        for what, wanted in filters.items()
        if (tables := sequential_scans(lambda question=question, wanted=wanted: question(wanted)))  # type: ignore[misc]
    }
    assert scanned == {}


def test_ids_are_read_from_indexes_alone_and_in_their_order(db: None, large: Large) -> None:
    """So that a question reads as many entries as it answers with, wherever in the log these lie."""
    user = large.user
    for wanted in [
        Filter(),
        Filter(type="type.4"),
        Filter(source="system:"),
        Filter(scope_ids=["project-1"]),
        Filter(type="type.4", after_date=large.middle),
    ]:
        ids = plans(lambda wanted=wanted: log.find_many(user, wanted))[1]  # type: ignore[misc]
        kinds = {node["Node Type"] for node in nodes(ids)}
        assert kinds == {"Limit", "Merge Append", "Index Only Scan"}, wanted


def test_pages_of_the_admin_read_no_table_from_end_to_end(large: Large, admin_client: Client) -> None:
    listing = reverse("admin:obslog_observation_changelist")

    for address in [
        listing,
        f"{listing}?p=20",
        f"{listing}?type=type.4",
        f"{listing}?user__id__exact={large.user.pk}",
        f"{listing}?q=task-300",
        reverse("admin:obslog_observation_sizes"),
    ]:
        assert sequential_scans(lambda address=address: admin_client.get(address)) == set(), address  # type: ignore[misc]


def test_what_makes_the_log_findable_reads_what_is_new_alone(db: None, large: Large) -> None:
    (last,) = Observation.objects.order_by("-arrival").values_list("arrival", flat=True)[:1]

    for behind in (0, 10, 2_000):
        SearchMark.objects.update_or_create(pk=1, defaults={"arrival": last - behind})
        assert sequential_scans(indexing.stage_arrived) <= {SearchMark._meta.db_table}


def test_timeline_reads_no_table_from_end_to_end(db: None, large: Large) -> None:
    (here,) = reading.read(large.user, str(log.find_recent(large.user, limit=1).picked[0].pk))

    for side in ("before", "after"):
        scanned = sequential_scans(lambda side=side: reading.near(large.user, here, side, 10))  # type: ignore[misc]
        assert scanned == set()
