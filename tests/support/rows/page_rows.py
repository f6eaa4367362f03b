"""A user whose pages all show something, for the tests in a browser."""

from __future__ import annotations

from datetime import timedelta

from django.utils import timezone

from capture import contexts, sink
from capture.models import Contradiction, Learning
from ghap.intake import receive
from ghap.models import Entry, Failure, FailureMember
from memoryserver.accounts.models import Project, User
from tests.capture.test_sink import capture, learning
from tests.support.rows.ghap_entries import body, falsified
from tests.support.rows.sent_calls import call, same
from trajectory.intake import receive as receive_calls


def alice_with_rows() -> User:
    """A user with something on every page: entries, learnings that contradict each other, calls, and a failure."""
    alice = User.objects.create_user("alice", password="open sesame please")
    project = Project.objects.create(owner=alice, key="github.com/crew/shop")
    receive(alice, project, [body(), falsified(id="ghap_20261120_150000_a1b2c3", goal="Shrink the export")])
    for number, kind in enumerate(("gotcha", "decision"), start=1):
        met = learning(f"What was learned about export {number}", type=kind)
        sink.store(
            alice,
            project,
            capture(met, number=number, context_id=f"c{number}", captured_at=timezone.now() - timedelta(hours=2)),
        )
    rows = list(Learning.objects.order_by("pk"))
    Contradiction.objects.create(earlier=rows[0], later=rows[1], reason="value", decision="both", decided_by=alice)
    contexts.report(alice, [contexts.ReportedContext("c9", "codex", project.key, 4, timezone.now())])
    receive_calls(alice, project, "shop-session", "", [*[call(n) for n in range(5)], *[same(n) for n in range(5, 14)]])
    receive_calls(alice, None, "other-session", "", [call(1)])
    entry = Entry.objects.get(outcome_status="falsified")
    now = timezone.now()
    failure = Failure.objects.create(user=alice, project=project, size=1, weight=1.0, first_seen=now, last_seen=now)
    FailureMember.objects.create(failure=failure, entry=entry, rank=1)
    return alice
