"""The journal's API: entries, strategies and clusters, and for whom."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime

import pytest
from django.test import Client

from ghap.axes import axis_texts
from ghap.local import GHAPEntry
from ghap.models import Entry
from memoryserver.accounts.models import Project, User
from tests.ghap.failures import FAILURES, clustered, failure, ghap_id
from tests.support.rows.ghap_entries import body

Api = Callable[[User | None], Client]
ENTRIES = "/api/v1/ghap/entries"
STRATEGIES = "/api/v1/ghap/strategies"
CLUSTERS = "/api/v1/ghap/clusters"


def test_strategies_are_for_owner_and_mate_and_not_for_stranger_and_nobody(
    alice: User, bob: User, charlie: User, shared_project: Project, send: Callable[..., None], api: Api
) -> None:
    send(alice, "confirmed", 2, project=shared_project)
    tally = {
        "entries": 1,
        "confirmed": 1,
        "falsified": 0,
        "abandoned": 0,
        "poor": 0,
        "confirmed_rate": 1.0,
        "mean_iterations": 2.0,
        "median_iterations": 2.0,
    }
    expected = {
        "strategies": [{"strategy": "systematic-elimination", "overall": tally, "domains": {"debugging": tally}}]
    }

    assert api(alice).get(STRATEGIES).json() == expected
    assert api(bob).get(STRATEGIES, {"project": shared_project.key, "domain": "debugging"}).json() == expected
    assert api(charlie).get(STRATEGIES).json() == {"strategies": []}
    assert api(None).get(STRATEGIES).status_code == 401


@pytest.mark.parametrize(
    "since", ["2026-11-20T14:50:00Z", "2026-11-20T14:50", "2026-11-20", "90y", "0001-01-01T00:00Z"]
)
def test_since_is_a_date_a_time_or_an_age(since: str, alice: User, send: Callable[..., None], api: Api) -> None:
    send(alice, "confirmed")

    assert len(api(alice).get(STRATEGIES, {"since": since}).json()["strategies"]) == 1


@pytest.mark.parametrize(
    ("query", "what"),
    [
        ({"domain": "cooking"}, "domain: Input should be 'debugging', 'refactoring'"),
        ({"since": "yesterday"}, "since: give a date such as 2026-11-20"),
        ({"since": ""}, "since: give a date such as 2026-11-20"),
        ({"project": "no such"}, "there is no project 'no such' that you can see"),
        ({"project": "a\x00b\u2028c"}, "there is no project 'a\ufffdb c' that you can see"),
    ],
)
def test_unknown_value_in_a_query_for_strategies_is_named(
    query: dict[str, str], what: str, alice: User, api: Api
) -> None:
    answer = api(alice).get(STRATEGIES, query)

    assert (answer.status_code, answer.headers["Content-Type"]) == (422, "application/problem+json")
    assert json.loads(answer.content)["detail"].startswith(what)


def test_strangers_project_is_refused_as_one_that_does_not_exist(
    charlie: User, shared_project: Project, api: Api
) -> None:
    answer = api(charlie).get(STRATEGIES, {"project": shared_project.key})

    assert answer.status_code == 422
    assert json.loads(answer.content)["detail"] == f"there is no project '{shared_project.key}' that you can see"


def test_clusters_are_for_owner_and_mate_and_not_for_stranger_and_nobody(
    alice: User, bob: User, charlie: User, shared_project: Project, api: Api
) -> None:
    cluster = clustered(alice, shared_project, range(3))
    entry = GHAPEntry.from_dict(failure(0, FAILURES["time zone"][0]))
    answers = [
        api(user).get(CLUSTERS, {"axis": "surprise", "project": shared_project.key}).json() for user in (alice, bob)
    ]

    assert answers[0] == answers[1]
    assert answers[0]["clusters"] == [
        {
            "key": cluster.pk,
            "axis": "surprise",
            "project": shared_project.key,
            "user": None,
            "size": 3,
            "weight": 2.4,
            "terms": ["zone"],
            "medoid": {
                "entry": ghap_id(0),
                "user": "alice",
                "goal": "Goal 0",
                "text": axis_texts(entry)["surprise"],
                "tier": "silver",
                "captured_at": "2026-11-20T14:50:00Z",
            },
            "members": [
                {"entry": ghap_id(number), "user": "alice", "goal": f"Goal {number}", "likeness": likeness}
                for number, likeness in enumerate([0.89, 0.88, 0.87])
            ],
        }
    ]
    (scope,) = answers[0]["scopes"]
    assert datetime.fromisoformat(scope.pop("computed_at")) == cluster.clustering.computed_at
    assert scope == {
        "axis": "surprise",
        "project": shared_project.key,
        "user": None,
        "total": 3,
        "considered": 3,
        "note": None,
    }
    assert api(charlie).get(CLUSTERS).json() == {"clusters": [], "scopes": [], "next_cursor": None}
    assert api(None).get(CLUSTERS).status_code == 401


@pytest.mark.parametrize(
    ("query", "what"),
    [
        ({"axis": "full"}, "axis: Input should be 'surprise' or 'root_cause'"),
        ({"project": "no such"}, "there is no project 'no such' that you can see"),
        ({"limit": "0"}, "limit: Input should be greater than or equal to 1"),
        ({"limit": "10000"}, "limit: Input should be less than or equal to 100"),
        ({"limit": "many"}, "limit: Input should be a valid integer"),
    ],
)
def test_unknown_value_in_a_query_for_clusters_is_named(
    query: dict[str, str], what: str, alice: User, api: Api
) -> None:
    answer = api(alice).get(CLUSTERS, query)

    assert (answer.status_code, answer.headers["Content-Type"]) == (422, "application/problem+json")
    assert json.loads(answer.content)["detail"].startswith(what)


def test_entries_are_stored_in_the_project_and_each_result_is_in_its_place(alice: User, api: Api) -> None:
    bad = body(id="ghap_20261120_143023_a1b2c4", domain="cooking")
    sent = {"project": "github.com/a/b", "entries": [bad, body()]}

    response = api(alice).post(ENTRIES, sent, content_type="application/json")

    refused, stored = response.json()["results"]
    assert (response.status_code, stored) == (200, {"id": body()["id"], "status": "stored"})
    assert (refused["id"], refused["status"], "domain" in refused["reason"]) == (bad["id"], "refused", True)
    row = Entry.objects.get()
    assert (row.user, str(row.project)) == (alice, "github.com/a/b")


@pytest.mark.parametrize("count", [0, 101])
def test_batch_that_is_empty_or_too_large_is_refused(count: int, alice: User, api: Api) -> None:
    response = api(alice).post(ENTRIES, {"entries": [body()] * count}, content_type="application/json")

    assert (response.status_code, response.json()["detail"].partition(":")[0]) == (422, "entries")
    assert Entry.objects.count() == 0


def test_entries_without_a_token_are_refused(db: None, api: Api) -> None:
    assert api(None).post(ENTRIES, {"entries": [body()]}, content_type="application/json").status_code == 401
