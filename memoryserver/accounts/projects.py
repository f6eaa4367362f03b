"""Project rows for the keys that clients send."""

from __future__ import annotations

from collections.abc import Sequence

from django.db.models import Q, QuerySet

from memoryserver.accounts.models import Project, ProjectAlias, Team, User
from memoryserver.accounts.visibility import viewer, visible_projects
from memoryserver.common.project_key import normalized
from memoryserver.common.redaction import redact
from memoryserver.common.text import clean
from memoryserver.errors import InvalidInputError
from memoryserver.statements import rows
from memoryserver.statements.compiled import TEXT, USER, CompiledRows


def project_for(user: User, key: str) -> Project | None:
    """Return the project that `key` means for `user`, or None for a blank key.

    If there is none yet (see `known_project`), a private project is created.
    """
    return project_and_new(user, key)[0]


def project_and_new(user: User, key: str) -> tuple[Project | None, bool]:
    """Return the project as `project_for` does, and whether it was created for that."""
    key = stored_key(key)
    if not key:
        return None, False
    known = known_project(user, key)
    return (known, False) if known is not None else Project.objects.get_or_create(owner=user, key=key)


def known_project(user: User, key: str) -> Project | None:
    """Return the project that the stored `key` means for `user`, or None if there is none yet.

    Their own private project comes first: its rows stay private until they move it into a team. Then comes the project
    of one of their teams, so that a team's agents write into one project; of several teams' projects, the oldest. Of
    their own and of a team's alike, one that has the key comes before one that was renamed from it.
    """
    projects = map(_with_team, _NAMED.rows(user=viewer(user), text=key))
    return min(projects, key=lambda project: (project.owner_id is None, project.key != key, project.pk), default=None)


def _with_team(values: Sequence[object]) -> Project:
    """Return the project of a row of _NAMED, with its team."""
    width = rows.width(Project)
    project = rows.instance(Project, values[:width])
    project.team = rows.instance(Team, values[width:]) if project.team_id is not None else None
    return project


_COLUMNS = (
    *(field.attname for field in Project._meta.concrete_fields),
    *(f"team__{field.attname}" for field in Team._meta.concrete_fields),
)
_NAMED = CompiledRows(lambda: visible_projects(User(pk=USER)).filter(_is_named(TEXT)).values_list(*_COLUMNS))
"""Projects that a user may see and that have a stored key, or had it, with their teams: every request that stores
something asks for them.
"""


def current_key(projects: QuerySet[Project], key: str) -> str:
    """Return `key` as stored if one of `projects` has it, else the key of one that was renamed from it; else ""."""
    key = stored_key(key)
    keys = list(projects.filter(_is_named(key)).order_by("pk").values_list("key", flat=True))
    return key if key in keys else next(iter(keys), "")


def asked_key(user: User, key: str) -> str:
    """Return the `visible_key` of a filter, "" for none. Raises InvalidInputError for an unknown one."""
    return visible_key(user, key) if key else ""


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
