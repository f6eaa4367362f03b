"""Project rows for the keys that clients send."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from django.db import connection
from django.db.models import Q, QuerySet

from memoryserver.accounts.models import Project, ProjectAlias, Team, User
from memoryserver.accounts.visibility import visible_projects
from memoryserver.common.project_key import normalized
from memoryserver.common.redaction import redact
from memoryserver.common.text import clean
from memoryserver.errors import InvalidInputError
from memoryserver.statements import rows

_USER, _KEY = -1, "the key"  # stand for the parameters of `_statement`


def project_for(user: User, key: str) -> Project | None:
    """Return the project that `key` means for `user`, or None for a blank key.

    If there is none yet (see `known_project`), a private project is created.
    """
    key = stored_key(key)
    if not key:
        return None
    return known_project(user, key) or Project.objects.get_or_create(owner=user, key=key)[0]


def known_project(user: User, key: str) -> Project | None:
    """Return the project that the stored `key` means for `user`, or None if there is none yet.

    Their own private project comes first: its rows stay private until they move it into a team. Then comes the project
    of one of their teams, so that a team's agents write into one project; of several teams' projects, the oldest. Of
    their own and of a team's alike, one that has the key comes before one that was renamed from it.
    """
    projects = _visible_and_named(user, key)
    return min(projects, key=lambda project: (project.owner_id is None, project.key != key, project.pk), default=None)


def _visible_and_named(user: User, key: str) -> Sequence[Project]:
    """Return the projects, with their teams, that `user` may see and that have the stored `key` or had it."""
    if not user.is_active:
        return []
    sql, parameters = _statement()
    values: dict[int | str, int | str] = {_USER: user.pk, _KEY: key}
    with connection.cursor() as cursor:
        cursor.execute(sql, [values[parameter] for parameter in parameters])
        return list(map(_with_team, cursor.fetchall()))


@cache
def _statement() -> tuple[str, Sequence[int | str]]:
    """Return the statement and what its parameters are.

    Every request that stores something runs it, and Django takes three times as long to make it as to have it run.
    """
    projects = visible_projects(User(pk=_USER)).select_related("team").filter(_is_named(_KEY))
    statement: tuple[str, Sequence[int | str]] = projects.query.sql_with_params()
    return statement


def _with_team(values: Sequence[object]) -> Project:
    width = rows.width(Project)
    project = rows.instance(Project, values[:width])
    project.team = rows.instance(Team, values[width:]) if project.team_id is not None else None
    return project


def current_key(projects: QuerySet[Project], key: str) -> str:
    """Return `key` as stored if one of `projects` has it, else the key of one that was renamed from it; else ""."""
    key = stored_key(key)
    keys = list(projects.filter(_is_named(key)).order_by("pk").values_list("key", flat=True))
    return key if key in keys else next(iter(keys), "")


def asked_key(user: User, key: str) -> str:
    """Return the `current_key` among the projects that `user` may see, for a filter; an unknown one as it is stored."""
    return current_key(visible_projects(user), key) or stored_key(key) if key else ""


def visible_key(user: User, key: str) -> str:
    """Return the `current_key` among the projects that `user` may see. Raises InvalidInputError if there is none."""
    current = current_key(visible_projects(user), key)
    if not current:
        raise InvalidInputError(f"there is no project {stored_key(key)!r} that you can see")
    return current


def stored_key(key: str) -> str:
    """Return `key` in the form in which it is stored and compared, as clients send it, and redacted: it may come from
    a header.
    """
    return normalized(clean(redact(key).text))[: Project._meta.get_field("key").max_length]


def _is_named(key: str) -> Q:
    """Return the condition on projects to have the stored `key`, now or before they were renamed."""
    return Q(key=key) | Q(pk__in=ProjectAlias.objects.filter(key=key).values("project"))
