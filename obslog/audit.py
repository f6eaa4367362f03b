"""Recording of who may see what: moved and renamed projects, members, roles, looks of administrators at private rows.

As in `obslog.listeners` no message names a person. What concerns a team has its scope id `team:N`, by which the team's
leads find it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db.models import Exists, Model, OuterRef, QuerySet

from memoryserver.accounts.models import Project, Team, User
from memoryserver.accounts.signals import membership_changed, project_moved, project_renamed
from memoryserver.admin.signals import private_rows_viewed, row_saved
from obslog.emit import emit
from obslog.models import Observation, Scope

_ACCOUNTS = "system:accounts"
VIEWED = "admin.viewed"
_WITH_EVENTS = {"accounts.apitoken", "trajectory.observerconfig"}
"""Models whose new rows have an event of their own, wherever they are made."""


def connect() -> None:
    """Connect to the signals; connecting again has no effect."""
    project_moved.connect(_project_moved, dispatch_uid="obslog.audit")
    project_renamed.connect(_project_renamed, dispatch_uid="obslog.audit")
    membership_changed.connect(_membership_changed, dispatch_uid="obslog.audit")
    row_saved.connect(_row_saved, dispatch_uid="obslog.audit")
    private_rows_viewed.connect(_private_rows_viewed, dispatch_uid="obslog.audit")


def of_team(team: Team) -> QuerySet[Observation]:
    """Return what the server recorded about `team`: its members, roles, projects, observers and deleted rows.

    Only the server writes observations of the category `system`, so no member can add to these.
    """
    about = Scope.objects.filter(observation=OuterRef("pk"), scope_id=f"team:{team.pk}")
    return Observation.objects.filter(Exists(about), category="system").select_related("user")


def _project_moved(
    sender: Any, project: Project, origin: User | Team, by: User, merged: int | None, **kwargs: Any
) -> None:
    place = f"{'user' if isinstance(origin, User) else 'team'}:{origin.pk}"
    source = "" if merged is None else f" from project {merged}"
    what = "moved" if merged is None else "merged"
    emit(
        by,
        type=f"project.{what}",
        source=_ACCOUNTS,
        message=f"project {project.pk} was {what}{source} into team {project.team_id}",
        data={"project": project.pk, "team": project.team_id, "from": place, "merged": merged, "by": by.pk},
        scope_ids=[f"project:{project.pk}", f"team:{project.team_id}", place],
    )


def _project_renamed(sender: Any, project: Project, old: str, by: User, merged: int | None, **kwargs: Any) -> None:
    source = "" if merged is None else f", and project {merged} was merged into it"
    emit(
        by,
        type="project.renamed",
        source=_ACCOUNTS,
        message=f"project {project.pk} has another key{source}",
        data={"project": project.pk, "team": project.team_id, "from": old, "merged": merged, "by": by.pk},
        scope_ids=[f"project:{project.pk}", *([f"team:{project.team_id}"] if project.team_id else [])],
    )


def _membership_changed(sender: Any, team: Team, user: User, role: str, by: User | None, **kwargs: Any) -> None:
    """Record the change for the user it concerns."""
    emit(
        user,
        type="membership.changed" if role else "membership.ended",
        source=_ACCOUNTS,
        message=f"user {user.pk} is {f'now {role}' if role else 'not a member any more'} in team {team.pk}",
        data={"team": team.pk, "user": user.pk, "role": role, "by": by.pk if by else None},
        scope_ids=[f"team:{team.pk}", f"user:{user.pk}"],
    )


def _row_saved(
    sender: type[Model], row: Model, by: User, added: bool, fields: Sequence[str], team: int | None, **kwargs: Any
) -> None:
    """Record which fields were set, not what they say, for the user whose account or row it is, else for who did it."""
    if added and sender._meta.label_lower in _WITH_EVENTS:
        return
    label, what = sender._meta.label_lower, "added" if added else "changed"
    owner = row if isinstance(row, User) else getattr(row, "user", None)
    emit(
        owner if isinstance(owner, User) else by,
        type=f"admin.{what}",
        source="system:admin",
        message=f"{label} {row.pk} was {what} in the admin",
        data={"model": label, "id": str(row.pk), "fields": list(fields), "by": by.pk},
        scope_ids=[f"{label}:{row.pk}", *([f"team:{team}"] if team else [])],
    )


def _private_rows_viewed(sender: type[Model], author: int, keys: Sequence[object], by: User, **kwargs: Any) -> None:
    """Record the look for the author of the rows, who finds it in their log."""
    label = sender._meta.label_lower
    what = f"{label} {keys[0]} was" if len(keys) == 1 else f"{len(keys)} rows of {label} were"
    emit(
        User(pk=author),
        type=VIEWED,
        source="system:admin",
        message=f"{what} viewed in the admin by user {by.pk}",
        data={"model": label, "ids": [str(key) for key in keys], "by": by.pk},
        scope_ids=[f"user:{by.pk}", *(f"{label}:{key}" for key in keys)],
    )
