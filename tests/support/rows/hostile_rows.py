"""Rows of every kind with texts that would run as scripts if a page put them out as they are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.apps import apps
from django.contrib.auth.models import Group
from django.db import models
from django.db.models import Model
from django_q.models import Schedule, Task

from capture.models import CaptureFailure, Compaction, Learning, LearningSource
from ghap.intake import receive
from ghap.models import Entry, Failure, FailureMember, OpenEntry
from ghap.unresolved.open_entries import receive as receive_open
from memoryserver.access import device, invitations
from memoryserver.accounts import tokens
from memoryserver.accounts.models import Project, Team, User
from memoryserver.digest.models import Subscription
from memoryserver.ops.models import Alert, Heartbeat
from obslog import log
from obslog.emit import emit
from tests.ghap.failures import clustered
from tests.support.rows import many_rows
from tests.support.rows.factories import ProjectFactory, TeamFactory, UserFactory
from tests.support.rows.ghap_entries import body, falsified
from tests.support.rows.observations import new
from tests.support.rows.sent_calls import call
from trajectory.intake import About
from trajectory.intake import receive as receive_calls
from trajectory.models import AssessmentRecord, ObserverConfig, Trajectory

IMAGE = '"><img src=x onerror=window.hit=1>'
HOSTILE = "<script>window.hit=1</script>" + IMAGE + "[x](javascript:window.hit=1){{7777*7777}}"
EVALUATED = "60481729"
"""What a template engine would make of the last part."""

FORMAL = {
    *("digest", "content_digest", "embedded_digest", "judged_digest", "compared_digest", "input_digest", "text_digest"),
    *("password", "func", "hook", "cron", "args", "kwargs", "task", "cluster", "intended_date_kwarg", "payload"),
    *("object_id", "change_message", "session_key", "session_data", "cache_key", "codename", "app_label", "model"),
    *("outcome", "outcome_status", "collector_tier", "confidence_tier", "severity", "worst", "axis", "domain"),
    *("strategy", "judge_verdict", "user_code", "id", "collection", "embedded_as"),
}
"""Fields that the server fills by itself, or only with one of a few words."""

LISTS = {"terms", "reasons", "files", "tools", "quality_reasons"}
UNCHANGED = {"contenttypes", "auth", "sessions", "limits", "vectors", "obslog", "mfa", "account"}
"""Apps whose rows no person and no agent writes, and the log, which takes no change: its rows are made hostile."""


def hostile(length: int | None) -> str:
    """The whole text, or what of it fits in `length` characters and would still run."""
    for text in (HOSTILE, IMAGE, "<script>hit=1</script>"):
        if length is None or len(text) + 4 <= length:
            return text
    return "<b>{{7*7}}"[:length]


def make(owner: User) -> Mapping[str, object]:
    """Rows of every kind that are `owner`'s; return what identifies them, by the placeholders of `doors`."""
    mate = UserFactory(username=HOSTILE + "mate", email="mate@example.org", first_name=IMAGE)
    team = TeamFactory(name="crew", people=[owner, mate])
    other = TeamFactory(name="other", people=[owner])
    project = ProjectFactory(team=team, key="github.com/crew/shop")
    made = _work(owner, project) | _things(owner, team)
    _account(owner, team)
    fill()
    project.refresh_from_db()
    owner.refresh_from_db()
    return made | {
        "team": team.pk,
        "user": mate.pk,
        "project": project.key,
        "project_id": project.pk,
        "move": f"{project.pk}/move/{other.pk}",
    }


def _told(**changes: Any) -> dict[str, Any]:
    texts = dict.fromkeys(("goal", "hypothesis", "action", "prediction", "check"), HOSTILE)
    step = {**texts, "timestamp": "2026-11-20T14:40:00Z", "reason": HOSTILE}
    return {**texts, "history": [step], "notes": [HOSTILE], **changes}


def _work(owner: User, project: Project) -> dict[str, object]:
    outcome = {"status": "falsified", "result": HOSTILE, "captured_at": "2026-11-20T14:50:00Z", "auto_captured": False}
    told = _told(
        outcome=outcome,
        surprise=HOSTILE,
        root_cause={"category": "wrong-assumption", "description": HOSTILE},
        lesson={"what_worked": HOSTILE, "takeaway": HOSTILE},
    )
    results = receive(owner, project, [falsified(**told)])
    assert [result.status for result in results] == ["stored"], results
    receive_open(owner, project, [body(**_told(id="ghap_20261120_160000_a1b2c3", outcome=None, confidence_tier=None))])
    calls = [
        call(1, tool_input={"file_path": HOSTILE, HOSTILE: HOSTILE}, result=HOSTILE, tool_name=IMAGE),
        *(call(n, tool_name="Bash", tool_input={"command": HOSTILE}, error=HOSTILE) for n in range(2, 12)),
    ]
    receive_calls(owner, project, HOSTILE, IMAGE, calls, about=About(HOSTILE, HOSTILE))
    assert AssessmentRecord.objects.exists()
    ObserverConfig.objects.create(user=owner, version=1, body={})
    return {"entry": Entry.objects.get().pk, "open_entry": OpenEntry.objects.get().pk} | {
        "session": HOSTILE,
        "trajectory": Trajectory.objects.get().pk,
    }


def _things(owner: User, team: Team) -> dict[str, object]:
    many_rows.contradictions(owner, 1)
    (capture,) = many_rows.captures(owner, 1)
    learning = Learning.objects.order_by("pk")[0]
    LearningSource.objects.create(learning=learning, capture=capture, message_index=1, quote=HOSTILE)
    clustered(owner, None, range(1), terms=(HOSTILE,))
    (failure,) = Failure.objects.bulk_create(
        [Failure(user=owner, name=HOSTILE, size=1, weight=1.0, first_seen=many_rows.THEN, last_seen=many_rows.THEN)]
    )
    FailureMember.objects.create(failure=failure, entry=Entry.objects.order_by("pk")[0], rank=1)
    many_rows.inquiries(owner, 1)
    scopes = [HOSTILE, f"team:{team.pk}"]
    data = {HOSTILE: [HOSTILE, {"href": "javascript:window.hit=1"}]}
    receipt = log.append(
        owner, new(message=HOSTILE, source="agent:" + IMAGE, details=HOSTILE, data=data, scope_ids=scopes)
    )
    emit(owner, type="project.moved", source="system:accounts", message=HOSTILE, data=data, scope_ids=scopes)
    return {"learning": learning.pk, "failure": failure.pk, "observation": str(receipt.id)}


def _account(owner: User, team: Team) -> None:
    for model in (Alert, CaptureFailure, Compaction, Schedule, Subscription):
        many_rows.OF_EACH_MODEL[model](owner, 1)
    times = {"started": many_rows.THEN, "stopped": many_rows.THEN}
    Task.objects.bulk_create(Task(id=f"{n}", func="math.floor", success=bool(n), **times) for n in range(2))
    Heartbeat.objects.create(name=IMAGE, beat_at=many_rows.THEN)
    Group.objects.create(name=HOSTILE)
    many_rows.laptops(owner, 1)
    tokens.issue(owner, HOSTILE)
    invitations.make('"<script>hit=1</script>"@example.org', team=team, by=owner)
    device.start(["read"], client_name=HOSTILE[:100], client=IMAGE, address="192.0.2.7")


def fill() -> None:
    """Put the text into each field of each row that is no formal one."""
    for model in apps.get_models():
        if model._meta.app_label not in UNCHANGED and model._meta.managed and not model._meta.proxy:
            for row in model._default_manager.all():
                _fill(model, row)


def _fill(model: type[Model], row: Model) -> None:
    changes: dict[str, object] = {}
    for field in model._meta.concrete_fields:
        if field.name in FORMAL or field.choices or field.primary_key:
            continue
        if field.name in LISTS and isinstance(field, models.JSONField):
            changes[field.name] = [HOSTILE]
        elif isinstance(field, models.CharField | models.TextField):
            changes[field.name] = hostile(field.max_length) + (f"{row.pk}"[:4] if (field.max_length or 99) > 30 else "")
    if changes:
        model._default_manager.filter(pk=row.pk).update(**changes)
