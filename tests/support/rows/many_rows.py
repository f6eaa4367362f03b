"""Many rows of each kind, made in few queries, for tests of long lists."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from django.contrib.auth.models import Group
from django.db.models import Model
from django_q.models import Failure, OrmQ, Schedule, Success
from django_q.tasks import async_task

from capture.judge.models import JudgeDay
from capture.models import (
    Capture,
    CaptureFailure,
    CaptureState,
    Compaction,
    Contradiction,
    Learning,
    LearningChange,
    LearningSource,
)
from ghap.intake import receive
from ghap.models import Cluster, Clustering, ClusterMember, Entry, FailureMember, OpenEntry
from ghap.models import Failure as RecurringFailure
from ghap.unresolved.open_entries import receive as receive_open
from memoryserver.access.models import DeviceGrant, Invitation, Laptop
from memoryserver.accounts.models import ApiToken, Project, Team, User
from memoryserver.digest.models import Subscription
from memoryserver.hooks.models import HookSession
from memoryserver.inquiries.models import Inquiry
from memoryserver.ops.models import Alert, Heartbeat
from memoryserver.vectors.models import Collection
from obslog import log
from obslog.emit import emit
from obslog.models import Observation
from tests.support.rows.factories import TeamFactory
from tests.support.rows.ghap_entries import body, falsified
from tests.support.rows.observations import MOMENT, new
from trajectory.models import AssessmentRecord, ObserverConfig, ToolCall, Trajectory

THEN = datetime(2026, 11, 20, tzinfo=UTC)


def at(number: int) -> datetime:
    return THEN + timedelta(minutes=number)


def states(user: User, count: int) -> Sequence[CaptureState]:
    rows = [CaptureState(user=user, context_id=f"context-{n}", last_activity_at=at(n)) for n in range(count)]
    return CaptureState.objects.bulk_create(rows)


def captures(user: User, count: int) -> Sequence[Capture]:
    fields = {"captured_at": THEN, "first_message_index": 0, "last_message_index": 1, "compaction_number": 0}
    (state,) = states(user, 1)
    return Capture.objects.bulk_create(
        Capture(state=state, capture_id=uuid.UUID(int=n), **fields) for n in range(count)
    )


def learnings(user: User, count: int) -> Sequence[Learning]:
    return Learning.objects.bulk_create(
        Learning(
            user=user,
            type="learning",
            content=f"learned-{n}.",
            confidence=0.9,
            first_seen=at(n // 2),
            last_seen=at(n // 2),  # two at a time, so that the order needs a second key
            content_digest=str(n),
            pinned=n % 3 == 0,
        )
        for n in range(count)
    )


def contradictions(user: User, count: int) -> Sequence[Contradiction]:
    (earlier,) = learnings(user, 1)
    fields = {"user": user, "type": "learning", "confidence": 0.9, "first_seen": THEN, "last_seen": THEN}
    later = Learning.objects.bulk_create(Learning(content=f"later-{n}.", **fields) for n in range(count))
    return Contradiction.objects.bulk_create(Contradiction(earlier=earlier, later=row, reason="value") for row in later)


def sources(user: User, count: int) -> Sequence[LearningSource]:
    (row,) = learnings(user, 1)
    return LearningSource.objects.bulk_create(
        LearningSource(learning=row, capture=capture, message_index=n, message_uuid=f"source-{n}.")
        for n, capture in enumerate(captures(user, count))
    )


def sessions(user: User, count: int) -> Sequence[Trajectory]:
    rows = [
        Trajectory(user=user, session_id=f"session-{n}.", last_call_at=at(n // 2) if n else None, calls_made=1)
        for n in range(count)
    ]
    return Trajectory.objects.bulk_create(rows)


def calls(user: User, count: int) -> Sequence[ToolCall]:
    (session,) = sessions(user, 1)
    Trajectory.objects.update(calls_made=count, last_call_at=THEN)
    return ToolCall.objects.bulk_create(
        ToolCall(
            user=user,
            trajectory=session,
            session_id=session.session_id,
            call_id=str(n),
            call_index=n,
            tool_name=f"tool-{n}.",
            outcome="ok",
            made_at=at(n),
            body={"params_summary": ""},
        )
        for n in range(1, count + 1)
    )


def findings(user: User, count: int) -> Sequence[AssessmentRecord]:
    (session,) = sessions(user, 1)
    return AssessmentRecord.objects.bulk_create(
        AssessmentRecord(
            user=user,
            trajectory=session,
            observer="poll",
            identity=str(n),
            severity="info",
            summary=f"finding-{n}.",
            body={"observations": [], "suggestions": []},
            began_at_call=1 + n // 2,
            began_at=at(n // 2),
            ended_at_call=1 + n,
        )
        for n in range(count)
    )


def entries(user: User, count: int) -> Sequence[Entry]:
    receive(user, None, [falsified(id=f"ghap_20261120_150000_{n:06x}", goal=f"goal-{n}.") for n in range(count)])
    return list(Entry.objects.order_by("ghap_id"))


def open_entries(user: User, count: int) -> Sequence[OpenEntry]:
    receive_open(
        user,
        None,
        [body(id=f"ghap_20261120_150000_{n:06x}", goal=f"goal-{n}.", outcome=None) for n in range(count)],
    )
    return list(OpenEntry.objects.order_by("ghap_id"))


def inquiries(user: User, count: int) -> Sequence[Inquiry]:
    return Inquiry.objects.bulk_create(
        Inquiry(user=user, kind="search", way="agent", words=f"inquiry-{n}.", found=0) for n in range(count)
    )


def uses(user: User, count: int) -> Sequence[Inquiry]:
    """Return inquiries whose answers had one learning."""
    documents = [f"learnings/{learnings(user, 1)[0].pk}"]
    return Inquiry.objects.bulk_create(
        Inquiry(user=user, kind="search", way="agent", words=f"use-{n}.", found=1, documents=documents)
        for n in range(count)
    )


def clusters(user: User, count: int) -> Sequence[Cluster]:
    clustering = Clustering.objects.create(axis="surprise", user=user, computed_at=THEN)
    rows = Cluster.objects.bulk_create(
        Cluster(clustering=clustering, rank=n + 1, size=1, weight=float(n // 2) + 0.1, terms=[f"cluster-{n}."])
        for n in range(count)
    )
    (entry,) = entries(user, 1)
    ClusterMember.objects.bulk_create(ClusterMember(cluster=row, entry=entry, rank=1, likeness=1.0) for row in rows)
    return rows


def members(user: User, count: int) -> Sequence[ClusterMember]:
    (cluster,) = clusters(user, 1)
    ClusterMember.objects.all().delete()
    rows = [
        ClusterMember(cluster=cluster, entry=entry, rank=n + 1, likeness=0.5)
        for n, entry in enumerate(entries(user, count))
    ]
    return ClusterMember.objects.bulk_create(rows)


def failures(user: User, count: int) -> Sequence[RecurringFailure]:
    """Failures `failure-N.`, each with an entry of its own."""
    rows = RecurringFailure.objects.bulk_create(
        RecurringFailure(user=user, name=f"failure-{n}.", size=1, weight=1.0, first_seen=at(n), last_seen=at(n))
        for n in range(count)
    )
    FailureMember.objects.bulk_create(
        FailureMember(failure=row, entry=entry, rank=1) for row, entry in zip(rows, entries(user, count), strict=True)
    )
    return rows


def members_of_a_failure(user: User, count: int) -> Sequence[FailureMember]:
    (failure,) = failures(user, 1)
    FailureMember.objects.all().delete()
    rows = [FailureMember(failure=failure, entry=entry, rank=n + 1) for n, entry in enumerate(entries(user, count))]
    return FailureMember.objects.bulk_create(rows)


def observations(user: User, count: int) -> Sequence[Observation]:
    for first in range(0, count, log.MAX_BATCH):
        numbers = range(first, min(first + log.MAX_BATCH, count))
        log.append_all(user, [new(message=f"observation-{n}.", created_at=MOMENT + n) for n in numbers])
    return list(Observation.objects.filter(type="task.updated"))


def projects(user: User, count: int) -> Sequence[Project]:
    return Project.objects.bulk_create(Project(owner=user, key=f"project-{n}.") for n in range(count))


def team_changes(user: User, count: int) -> Sequence[Observation]:
    """What was recorded about a team that the user leads."""
    team = TeamFactory(people=[user])
    for number in range(count):
        scope = f"team:{team.pk}"
        emit(user, type="project.moved", source="system:accounts", message=f"project-{number}.", scope_ids=[scope])
    return list(Observation.objects.filter(type="project.moved"))


def _many(model: Any, fields: Callable[[User, int], dict[str, Any]]) -> Callable[[User, int], Sequence[Model]]:
    def make(user: User, count: int) -> Sequence[Model]:
        rows: Sequence[Model] = model.objects.bulk_create(model(**fields(user, n)) for n in range(count))
        return rows

    return make


def _task(success: bool) -> Callable[[User, int], dict[str, Any]]:
    return lambda _, n: {
        "id": f"{n:032x}",
        "name": f"task-{n}",
        "func": "math.floor",
        "started": THEN,
        "stopped": THEN,
        "success": success,
    }


def _queued(user: User, count: int) -> Sequence[OrmQ]:
    for _ in range(count):
        async_task("math.floor", 1.5)
    return list(OrmQ.objects.all())


def _clusterings(user: User, count: int) -> Sequence[Clustering]:
    projects = Project.objects.bulk_create(Project(owner=user, key=f"p-{n}") for n in range(count))
    return Clustering.objects.bulk_create(Clustering(axis="surprise", user=user, project=row) for row in projects)


def laptops(user: User, count: int) -> Sequence[Model]:
    """Laptops `laptop-N.`, the latest seen with the highest number."""
    return Laptop.objects.bulk_create(
        Laptop(
            user=user,
            client_id=f"client-{number}",
            name=f"laptop-{number}.",
            version="0.1.0",
            waiting=0,
            failed=0,
            capture_runs=True,
            seen_at=at(number),
        )
        for number in range(count)
    )


def changes(user: User, count: int) -> Sequence[LearningChange]:
    return LearningChange.objects.bulk_create(
        LearningChange(learning=row, what="pinned", made_by=user) for row in learnings(user, count)
    )


def _subscriptions(_: User, count: int) -> Sequence[Subscription]:
    people = User.objects.bulk_create(User(username=f"reader-{n}") for n in range(count))
    return Subscription.objects.bulk_create(Subscription(user=person, due_at=THEN) for person in people)


OF_EACH_MODEL: dict[type[Model], Callable[[User, int], Sequence[Model]]] = {
    ApiToken: _many(
        ApiToken, lambda user, n: {"user": user, "name": "t", "scopes": ["read"], "prefix": "msv_", "digest": str(n)}
    ),
    Project: _many(Project, lambda user, n: {"owner": user, "key": f"key-{n}"}),
    Team: _many(Team, lambda _, n: {"name": f"team-{n}"}),
    User: _many(User, lambda _, n: {"username": f"user-{n}"}),
    Group: _many(Group, lambda _, n: {"name": f"group-{n}"}),
    Capture: captures,
    CaptureFailure: _many(CaptureFailure, lambda user, n: {"user": user, "reason": "x", "failed_at": at(n)}),
    CaptureState: states,
    Compaction: _many(
        Compaction,
        lambda user, n: {
            "user": user,
            "compaction_id": uuid.UUID(int=n),
            "context_id": "c",
            "trigger": "auto",
            "happened_at": at(n),
        },
    ),
    Learning: learnings,
    Success: _many(Success, _task(True)),
    Failure: _many(Failure, _task(False)),
    OrmQ: _queued,
    Schedule: _many(Schedule, lambda _, n: {"name": f"schedule-{n}", "func": "math.floor", "next_run": THEN}),
    Cluster: clusters,
    Clustering: _clusterings,
    Entry: entries,
    Observation: observations,
    Alert: _many(Alert, lambda _, n: {"key": f"k-{n}", "message": "m", "began_at": at(n), "last_seen_at": at(n)}),
    Heartbeat: _many(Heartbeat, lambda _, n: {"name": f"part-{n}", "beat_at": THEN}),
    AssessmentRecord: findings,
    ObserverConfig: _many(ObserverConfig, lambda user, n: {"user": user, "version": n + 1}),
    ToolCall: calls,
    Trajectory: sessions,
    Collection: _many(Collection, lambda _, n: {"name": f"collection-{n}", "model": "m", "dimension": 3}),
    Contradiction: contradictions,
    DeviceGrant: _many(
        DeviceGrant,
        lambda user, n: {
            "user": user,
            "digest": str(n),
            "user_code": str(n),
            "scopes": ["read"],
            "interval": 5,
            "expires_at": THEN,
        },
    ),
    HookSession: _many(HookSession, lambda user, n: {"user": user, "session_id": f"session-{n}"}),
    Inquiry: inquiries,
    Invitation: _many(
        Invitation, lambda user, n: {"email": "a@b.de", "digest": str(n), "invited_by": user, "expires_at": THEN}
    ),
    JudgeDay: _many(JudgeDay, lambda _, n: {"day": at(1440 * n).date()}),
    Laptop: laptops,
    LearningChange: changes,
    LearningSource: sources,
    OpenEntry: open_entries,
    RecurringFailure: failures,
    Subscription: _subscriptions,
}
