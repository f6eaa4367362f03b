"""Who may see what: every query that leaves the server passes through here."""

from __future__ import annotations

from typing import TypeVar

from django.contrib.auth.models import AnonymousUser
from django.db.models import Model, Q, QuerySet

from memoryserver.accounts.models import Project, User

Row = TypeVar("Row", bound=Model)


def visible_rows(rows: QuerySet[Row], user: User | AnonymousUser) -> QuerySet[Row]:
    """Those of `rows` (of an OwnedModel) that `user` may see.

    One's own, and those in a project that is shared with a team one belongs to. Nobody signed in, or a
    person who was deactivated, sees nothing; being an administrator opens the admin, nothing more here.
    """
    if not isinstance(user, User) or not user.is_active:
        return rows.none()
    return rows.filter(Q(user=user) | Q(project__in=_shared_projects(user)))


def own_rows(rows: QuerySet[Row], user: User | AnonymousUser) -> QuerySet[Row]:
    """Those of `rows` that are `user`'s own: for what belongs to people alone and is never shared.

    Nobody signed in, or a person who was deactivated, sees nothing.
    """
    if not isinstance(user, User) or not user.is_active:
        return rows.none()
    return rows.filter(user=user)


def visible_projects(user: User | AnonymousUser) -> QuerySet[Project]:
    """The projects that `user` owns or shares by a team."""
    if not isinstance(user, User) or not user.is_active:
        return Project.objects.none()
    return Project.objects.filter(Q(owner=user) | Q(pk__in=_shared_projects(user)))


def _shared_projects(user: User) -> QuerySet[Project, int]:
    return Project.objects.filter(team__membership__user=user).values_list("pk", flat=True)
