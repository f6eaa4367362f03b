"""Rejected queue files: counted, alerted, and resolved."""

from __future__ import annotations

from datetime import timedelta

from django.utils import timezone

from capture import failures
from capture.models import CaptureFailure
from memoryserver.accounts.models import User
from memoryserver.ops.alerting import alerts


def fail(user: User, reason: str = "no", *, capture_id: str = "x") -> None:
    failures.record(user, capture_id=capture_id, context_id="c", reason=reason)


def test_repeated_failure_of_a_file_is_one_row_that_counts(alice: User) -> None:
    fail(alice, "first")
    first_alerted_at = CaptureFailure.objects.get().alerted_at
    fail(alice, "second\nline")

    failure = CaptureFailure.objects.get()
    assert (failure.times, failure.reason, failure.alerted_at) == (2, "second line", first_alerted_at)
    assert [alert.about for alert in alerts.open_alerts()] == [["c", "x"]]


def test_failures_without_an_id_are_not_taken_for_one_another(alice: User) -> None:
    fail(alice, capture_id="")
    fail(alice, capture_id="")

    assert list(CaptureFailure.objects.values_list("times", flat=True)) == [1, 1]


def test_alert_of_a_user_ends_with_their_last_failure(alice: User, charlie: User) -> None:
    for user, capture_id in ((alice, "x"), (alice, "y"), (charlie, "x")):
        fail(user, capture_id=capture_id)
    counts = []
    for user, capture_id in ((alice, "x"), (alice, "y"), (charlie, "x")):
        failures.resolve(user, capture_id)
        counts.append(alerts.open_alerts().count())

    assert counts == [2, 1, 0]


def test_resolve_of_a_file_that_never_failed_changes_nothing(alice: User) -> None:
    fail(alice)

    failures.resolve(alice, "another")

    assert (CaptureFailure.objects.filter(resolved_at=None).count(), alerts.open_alerts().count()) == (1, 1)


def test_file_that_fails_after_it_was_resolved_is_a_new_failure(alice: User) -> None:
    fail(alice)
    failures.resolve(alice, "x")
    fail(alice)

    rows = CaptureFailure.objects.order_by("pk")
    assert [(row.times, row.resolved_at is None) for row in rows] == [(1, False), (1, True)]


def test_overlong_ids_and_reasons_are_shortened(alice: User) -> None:
    failures.record(alice, capture_id="i" * 500, context_id="c" * 500, reason="r" * 5_000)

    failure = CaptureFailure.objects.get()
    assert [len(text) for text in (failure.capture_id, failure.context_id, failure.reason)] == [100, 100, 1_000]


def test_failure_that_nobody_takes_up_is_over_after_a_week(alice: User) -> None:
    failures.record(alice, capture_id="x", context_id="c", reason="no")
    failures.give_up_old()
    assert alerts.open_alerts().count() == 1

    CaptureFailure.objects.update(failed_at=timezone.now() - timedelta(days=8))
    failures.give_up_old()
    assert (alerts.open_alerts().count(), CaptureFailure.objects.filter(resolved_at=None).count()) == (0, 0)
