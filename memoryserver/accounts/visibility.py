"""Visibility of rows and rights to change them: every query whose results leave the server is filtered here.

Everybody sees their own rows and those in the projects of their teams. Authors change their own rows; the owner of a
private project, and the leads of a team, also change those of others in it, and manage the project itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeGuard, TypeVar

from django.contrib.auth.models import AnonymousUser
from django.db.models import Model, Q, QuerySet
from django.db.models.expressions import RawSQL

from memoryserver.accounts.models import Membership, OwnedModel, Project, Team, User

Row = TypeVar("Row", bound=Model)


def visible_rows(rows: QuerySet[Row], user: User | AnonymousUser) -> QuerySet[Row]:
    """Return those of `rows` (of an OwnedModel) that `user` may see.

    These are the user's own rows and those in a project of one of their teams. Anonymous and inactive users see
    nothing; being an administrator makes no difference here.
    """
    if not _is_active(user):
        return rows.none()
    return rows.filter(Q(user=user) | Q(project__in=_shared_projects(user)))


def own_rows(rows: QuerySet[Row], user: User | AnonymousUser) -> QuerySet[Row]:
    """Return those of `rows` that belong to `user`, for data that is never shared.

    Anonymous and inactive users see nothing.
    """
    if not _is_active(user):
        return rows.none()
    return rows.filter(user=user)


def changeable_rows(rows: QuerySet[Row], user: User | AnonymousUser) -> QuerySet[Row]:
    """Return those of `rows` (of an OwnedModel) that `user` may change: theirs, and those in projects they manage."""
    if not _is_active(user):
        return rows.none()
    return rows.filter(Q(user=user) | Q(project__in=managed_projects(user).values("pk")))


def changeable_among(rows: Sequence[OwnedModel], user: User | AnonymousUser) -> frozenset[int]:
    """Return the primary keys of those of `rows`, of one model, that `user` may change, as `changeable_rows` does.

    The database is asked about the rows of others alone: most lists of a person have none.
    """
    if not _is_active(user):
        return frozenset()
    own = {row.pk for row in rows if row.user_id == user.pk}
    others = [row.pk for row in rows if row.pk not in own]
    if others:
        own |= set(
            changeable_rows(type(rows[0])._default_manager.filter(pk__in=others), user).values_list("pk", flat=True)
        )
    return frozenset(own)


def visible_projects(user: User | AnonymousUser) -> QuerySet[Project]:
    """Return the projects that `user` owns or that belong to one of their teams."""
    if not _is_active(user):
        return Project.objects.none()
    return Project.objects.filter(Q(owner=user) | Q(pk__in=_shared_projects(user)))


def visible_people(user: User | AnonymousUser) -> QuerySet[User]:
    """Return `user` and the members of their teams."""
    if not _is_active(user):
        return User.objects.none()
    return User.objects.filter(Q(pk=user.pk) | Q(teams__in=user.teams.all())).distinct()


def managed_projects(user: User | AnonymousUser) -> QuerySet[Project]:
    """Return the projects that `user` owns or that belong to a team they lead."""
    if not _is_active(user):
        return Project.objects.none()
    return Project.objects.filter(Q(owner=user) | Q(team__in=led_teams(user).values("pk")))


def visible_teams(user: User | AnonymousUser) -> QuerySet[Team]:
    """Return the teams that `user` is in."""
    if not _is_active(user):
        return Team.objects.none()
    return Team.objects.filter(membership__user=user)


def led_teams(user: User | AnonymousUser) -> QuerySet[Team]:
    """Return the teams that `user` leads."""
    if not _is_active(user):
        return Team.objects.none()
    return Team.objects.filter(membership__user=user, membership__role=Membership.Role.LEAD)


def viewer(user: User | AnonymousUser) -> int | None:
    """Return what a statement of `CompiledRows` takes as USER: None, which sees nothing, unless `user` is active."""
    return user.pk if _is_active(user) else None


def _shared_projects(user: User) -> RawSQL:
    """Return the keys of the projects of the user's teams: written by hand, as it is a part of nearly every statement.

    Of a condition such as that of `visible_rows`, Django takes two fifths of the time to make this part of it.
    """
    return RawSQL(_SHARED, [user.pk])  # noqa: S611 - a constant, and the key is a parameter


_SHARED = """
    SELECT project.id FROM accounts_project project JOIN accounts_membership membership USING (team_id)
    WHERE membership.user_id = %s
"""


def _is_active(user: User | AnonymousUser) -> TypeGuard[User]:
    """Return whether `user` is a person who may see anything at all: neither anonymous nor deactivated."""
    return isinstance(user, User) and user.is_active
