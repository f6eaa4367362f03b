"""Open entries: what is stored of them, who sees them, and when they go."""

from __future__ import annotations

from datetime import timedelta

from django.utils import timezone

from ghap import intake
from ghap.models import OpenEntry
from ghap.unresolved import open_entries
from memoryserver.accounts.models import Project, User
from tests.support.rows.ghap_entries import body


def opened(**changes: object) -> dict[str, object]:
    return body(**{"outcome": None, "confidence_tier": None, **changes})


def statuses(user: User, project: Project | None, *bodies: dict[str, object]) -> list[str]:
    return [receipt.status for receipt in open_entries.receive(user, project, bodies)]


def test_report_takes_the_place_of_the_one_before(alice: User, shared_project: Project) -> None:
    assert statuses(alice, None, opened(agent_session="s-1")) == ["stored"]
    assert statuses(alice, shared_project, opened(hypothesis="It waits for the disk")) == ["stored"]

    row = OpenEntry.objects.get()
    assert (row.project, row.entry.hypothesis, row.agent_session) == (shared_project, "It waits for the disk", "")


def test_resolved_entry_takes_the_place_of_the_open_one_whichever_comes_first(alice: User, bob: User) -> None:
    statuses(alice, None, opened())
    statuses(bob, None, opened())
    intake.receive(alice, None, [body()])
    assert list(OpenEntry.objects.values_list("user", flat=True)) == [bob.pk]

    assert statuses(alice, None, opened()) == ["unchanged"]
    assert OpenEntry.objects.count() == 1


def test_invalid_and_resolved_ones_are_refused_with_the_reason(alice: User) -> None:
    receipts = open_entries.receive(alice, None, [opened(goal=7), body()])

    assert [(receipt.status, bool(receipt.reason)) for receipt in receipts] == [("refused", True), ("refused", True)]
    assert receipts[1].reason == "the entry has an outcome; send it to /ghap/entries"
    assert OpenEntry.objects.count() == 0


def test_team_sees_what_was_reported_lately_and_old_reports_are_deleted(
    alice: User, bob: User, charlie: User, shared_project: Project
) -> None:
    statuses(alice, shared_project, opened())
    assert [open_entries.visible(user).count() for user in (alice, bob, charlie)] == [1, 1, 0]

    OpenEntry.objects.update(reported_at=timezone.now() - timedelta(days=open_entries.SHOWN_DAYS + 1))
    assert (open_entries.visible(alice).count(), open_entries.forget_old()) == (0, 0)

    OpenEntry.objects.update(reported_at=timezone.now() - timedelta(days=open_entries.KEPT_DAYS + 1))
    assert open_entries.forget_old() == 1
