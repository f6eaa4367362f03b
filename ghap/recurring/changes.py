"""What people do with a failure: they name it, and say whether it is known or solved."""

from __future__ import annotations

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from ghap.models import Clustering, Failure
from ghap.recurring import queries
from memoryserver.accounts.models import User
from memoryserver.accounts.visibility import visible_rows
from memoryserver.common.redaction import redact
from memoryserver.common.text import clean, one_line
from memoryserver.errors import InvalidInputError
from memoryserver.jobs import enqueue
from obslog.emit import emit

MAX_NAME = 200
STATES = (Failure.State.OPEN.value, Failure.State.KNOWN.value, Failure.State.SOLVED.value)
"""What a person can set; `regressed` is found by the recount."""

RECOUNT_JOB = "ghap.jobs.find_clusters"


def change(user: User, key: int, *, name: str | None = None, state: str | None = None) -> Failure:
    """Name the failure ("" takes the name away) or set its state, as far as they are given.

    Everybody who sees it may. Raises Http404 if `user` does not, InvalidInputError for an invalid value.
    """
    name = None if name is None else _name(name)
    if state is not None and state not in STATES:
        raise InvalidInputError(f"state: must be one of {', '.join(STATES)}")
    with transaction.atomic():
        row = Failure.objects.select_for_update(of=("self",)).get(pk=queries.row_of(user, key).pk)
        before = (row.name, row.state)
        if name is not None:
            row.name = name
        if state is not None and state != row.state:
            row.state, row.state_since, row.state_by = state, timezone.now(), user
        if (row.name, row.state) != before:
            row.save(update_fields=["name", "state", "state_since", "state_by"])
            _log(row, user)
    return row


def set_state(rows: QuerySet[Failure], state: Failure.State, *, by: User) -> int:
    """Set the state of `rows`, which the caller may change; return how many had another one."""
    with transaction.atomic():
        others = rows.order_by("pk").exclude(state=state).select_for_update(of=("self",))
        changed = list(others)
        for row in changed:
            row.state, row.state_since, row.state_by = state, timezone.now(), by
            row.save(update_fields=["state", "state_since", "state_by"])
            _log(row, by)
    return len(changed)


def request_recount(user: User) -> None:
    """Let a job recount the failures that `user` may see, without waiting for the night."""
    visible_rows(Clustering.objects.all(), user).update(attempted_at=None)
    enqueue(RECOUNT_JOB)


def _name(text: str) -> str:
    name = redact(one_line(clean(text))).text.strip()
    if len(name) > MAX_NAME:
        raise InvalidInputError(f"name: at most {MAX_NAME} characters")
    return name


def _log(row: Failure, by: User) -> None:
    emit(
        by,
        type="ghap.failure_changed",
        source="system:failures",
        message=f"failure {row.pk} is {row.state}",
        data={"state": row.state},
        scope_ids=[f"failure:{row.pk}"],
        project=row.project_id,
    )
