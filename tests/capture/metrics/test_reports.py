"""The success metrics: shares, latencies, failures, each for what the viewer may see."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from capture import contexts
from capture.metrics import reports
from capture.models import Capture, CaptureFailure, Learning
from capture.sink import store
from memoryserver.accounts.models import Project, User
from memoryserver.ops.alerting import alerts
from tests.capture.test_sink import capture, learning

NOW = timezone.now()


def read(user: User, project: str, name: str, messages: int = 10) -> None:
    """A context that was read and yielded nothing so far."""
    told = contexts.ReportedContext(name, "claude-code", project, messages, timezone.now())
    contexts.report(user, [told])


def learned(user: User, project: Project | None, name: str, number: int, seconds: float = 30) -> None:
    """A learning in the context, stored `seconds` after its capture."""
    when = timezone.now()
    one = capture(learning(f"Learned {number}"), number=number, context_id=name, captured_at=when)
    store(user, project, one)
    Capture.objects.filter(capture_id=uuid.UUID(int=number)).update(received_at=when + timedelta(seconds=seconds))


@pytest.fixture
def some(alice: User, bob: User, shared_project: Project) -> None:
    for number in range(1, 4):
        learned(alice, shared_project, f"a{number}", number, seconds=number * 100)
    read(alice, shared_project.key, "a4")
    read(alice, shared_project.key, "silent", messages=0)
    read(alice, "private", "a5")
    learned(bob, shared_project, "b1", 4, seconds=-20)


def test_share_of_contexts_with_learnings_counts_those_that_yielded_nothing(some: None, alice: User) -> None:
    total = reports.report(alice, reports.Scope()).total

    assert (total.contexts, total.with_learnings, total.percent) == (6, 4, 66)


def test_latency_is_of_what_came_and_no_clock_makes_it_negative(some: None, alice: User) -> None:
    latency = reports.report(alice, reports.Scope()).latency

    assert (latency.captures, latency.in_time, latency.percent_in_time) == (4, 3, 75)
    assert latency.median == timedelta(seconds=150)
    assert latency.p95 == timedelta(seconds=285)
    assert (latency.median_text, latency.p95_text) == ("2 min", "4 min")


def test_each_sees_their_own_and_what_is_shared(some: None, alice: User, bob: User, charlie: User) -> None:
    counts = {user.username: reports.report(user, reports.Scope()).total.contexts for user in (alice, bob, charlie)}

    assert counts == {"alice": 6, "bob": 5, "charlie": 0}


@pytest.mark.parametrize(
    ("scope", "count"),
    [
        (reports.Scope(project="private"), 1),
        (reports.Scope(project="github.com/crew/shop"), 5),
        (reports.Scope(user="bob"), 1),
        (reports.Scope(team="crew"), 5),
        (reports.Scope(team="crew", user="alice"), 4),
        (reports.Scope(project="nothing\x00"), 0),
    ],
)
def test_scope_narrows(some: None, alice: User, scope: reports.Scope, count: int) -> None:
    assert reports.report(alice, scope).total.contexts == count


def test_groups_by_project_and_person_the_largest_first(some: None, alice: User) -> None:
    report = reports.report(alice, reports.Scope())

    assert [(one.name, one.contexts, one.with_learnings) for one in report.by_project] == [
        ("github.com/crew/shop", 5, 4),
        ("private", 1, 0),
    ]
    assert [(one.name, one.contexts) for one in report.by_user] == [("alice", 5), ("bob", 1)]


def test_learnings_by_type_and_by_day(alice: User) -> None:
    store(alice, None, capture(learning("One"), learning("Two", type="gotcha"), learning("Three"), captured_at=NOW))
    Learning.objects.filter(content="Three").update(first_seen=NOW - timedelta(days=3))
    report = reports.report(alice, reports.Scope(days=7))

    assert (report.by_type, report.learnings) == ([("learning", 2), ("gotcha", 1)], 3)
    assert report.by_day == [((NOW - timedelta(days=3)).date(), 1), (NOW.date(), 2)]


def test_days_are_those_of_the_zone_of_the_page(alice: User) -> None:
    store(alice, None, capture(learning("One"), captured_at=NOW))
    Learning.objects.update(first_seen=datetime(NOW.year, NOW.month, NOW.day, 12, tzinfo=UTC) - timedelta(days=2))
    with timezone.override("Pacific/Kiritimati"):  # 14 hours before UTC
        report = reports.report(alice, reports.Scope(days=7))

    assert [day for day, _ in report.by_day] == [NOW.date() - timedelta(days=1)]


def test_what_is_older_than_the_days_is_left_out(some: None, alice: User) -> None:
    Learning.objects.update(first_seen=NOW - timedelta(days=8))

    assert reports.report(alice, reports.Scope(days=7)).learnings == 0
    with pytest.raises(ValueError, match="days: must be one of 7, 30, 90"):
        reports.report(alice, reports.Scope(days=8))


def test_refused_file_is_a_failure_that_is_told_until_it_is_stored_after_all(alice: User, api: Any) -> None:
    body: dict[str, Any] = {
        "capture_id": str(uuid.UUID(int=1)),
        "context_id": "claude-code-7625",
        "captured_at": "2026-11-20T12:00:00Z",
        "message_range": [43, 50],
        "compaction_number": 0,
        "learnings": [{"type": "nonsense", "content": "x", "confidence": 1, "source_message_index": 1}],
    }
    client = api(alice)
    for _ in range(2):
        refused = client.post("/api/v1/capture/queue-files", body, content_type="application/json")
        assert refused.status_code == 422

    failure = CaptureFailure.objects.get()
    assert (failure.user, failure.context_id, failure.times) == (alice, "claude-code-7625", 2)
    assert failure.reason.startswith("learnings.0.type: Value error, must be one of decision, ")
    assert [alert.message for alert in alerts.open_alerts()] == [
        f"a queue file of alice was not stored: {failure.reason}"
    ]
    assert reports.report(alice, reports.Scope()).failures == reports.Failures(1, 1, 0, 0)

    body["learnings"][0]["type"] = "gotcha"
    client.post("/api/v1/capture/queue-files", body, content_type="application/json")
    assert reports.report(alice, reports.Scope()).failures == reports.Failures(1, 0, 0, 0)
    assert not alerts.open_alerts().exists()


def test_learning_that_cannot_be_embedded_is_silent_until_it_is_alerted(alice: User) -> None:
    store(alice, None, capture(learning("One"), captured_at=NOW))
    Learning.objects.update(embed_attempts=5)
    before = reports.report(alice, reports.Scope()).failures
    alerts.begin("embedding capture.Learning", "it could not be embedded")
    after = reports.report(alice, reports.Scope()).failures

    assert ((before.not_embedded, before.silent), (after.not_embedded, after.silent)) == ((1, 1), (1, 0))


def test_operator_reads_the_figures_with_the_token_alone(some: None, alice: User, settings: Any) -> None:
    settings.METRICS_TOKEN = "s3cret"
    sent = [None, "Bearer wrong", "Bearer s3cret", "Bearer "]
    answers = [Client(headers={"authorization": one} if one else {}).get("/metrics") for one in sent]

    assert [answer.status_code for answer in answers] == [401, 401, 200, 401]
    lines = answers[2].content.decode().splitlines()
    for line in (
        "memoryserver_capture_contexts 6",
        "memoryserver_capture_contexts_with_learnings 4",
        "memoryserver_capture_sessions 6",
        "memoryserver_capture_sessions_with_learnings 4",
        'memoryserver_capture_learnings{type="learning"} 4.0',
        'memoryserver_capture_latency_seconds{quantile="0.5"} 150.0',
        "memoryserver_capture_captures_in_time 3",
        "memoryserver_capture_failures_silent 0",
        "memoryserver_alerts_open 0",
    ):
        assert line in lines
    for line in lines:
        assert line.startswith(("# HELP memoryserver_", "# TYPE memoryserver_", "memoryserver_"))


def test_figures_are_closed_without_a_token_in_the_settings_but_to_administrators(alice: User) -> None:
    client = Client()
    client.force_login(alice)
    before = client.get("/metrics").status_code
    User.objects.filter(pk=alice.pk).update(is_staff=True)

    assert (before, client.get("/metrics").status_code) == (401, 200)
    assert Client(headers={"authorization": "Bearer "}).get("/metrics").status_code == 401


def test_api_has_the_metrics_of_the_page(some: None, alice: User, api: Any) -> None:
    response = api(alice).get("/api/v1/capture/metrics", {"project": "github.com/crew/shop", "days": 7})
    report = reports.report(alice, reports.Scope(project="github.com/crew/shop", days=7))

    shop = {"contexts": 5, "with_learnings": 4, "sessions": 5, "sessions_with_learnings": 4, "share": 0.8}
    assert response.status_code == 200
    assert sum(count for _, count in report.by_day) == 4
    assert response.json() == {
        "total": {"name": "", **shop},
        "by_project": [{"name": "github.com/crew/shop", **shop}],
        "by_user": [{"name": one.name, **{key: getattr(one, key) for key in shop}} for one in report.by_user],
        "latency": {"captures": 4, "in_time": 3, "median_seconds": 150.0, "p95_seconds": 285.0},
        "failures": {"refused": 0, "open": 0, "not_embedded": 0, "silent": 0},
        "learnings": 4,
        "by_type": {"learning": 4},
        "by_day": {day.isoformat(): count for day, count in report.by_day},
        "compactions": dict(report.compactions),
    }


def test_api_gives_each_the_metrics_of_what_they_may_see(some: None, bob: User, charlie: User, api: Any) -> None:
    path = "/api/v1/capture/metrics"

    assert [api(user).get(path).json()["total"]["contexts"] for user in (bob, charlie)] == [5, 0]
    assert api(None).get(path).status_code == 401
    assert api(charlie).get(path).json()["latency"]["median_seconds"] is None


@pytest.mark.parametrize("days", ["8", "x", "-1"])
def test_api_refuses_other_days(days: str, alice: User, api: Any) -> None:
    response = api(alice).get("/api/v1/capture/metrics", {"days": days})

    assert (response.status_code, "days" in response.json()["detail"]) == (422, True)
