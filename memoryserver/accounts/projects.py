"""Project rows for the keys that clients send."""

from __future__ import annotations

from memoryserver.accounts.models import Project, User
from memoryserver.accounts.visibility import visible_projects
from memoryserver.common.project_key import normalized
from memoryserver.common.redaction import redact
from memoryserver.common.text import clean
from memoryserver.errors import InvalidInputError


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
    of one of their teams, so that a team's agents write into one project; of several teams' projects, the oldest.
    """
    projects = visible_projects(user).select_related("team").filter(key=key)
    return min(projects, key=lambda project: (project.owner_id is None, project.pk), default=None)


def visible_key(user: User, key: str) -> str:
    """Return `key` normalised as stored. Raises InvalidInputError unless `user` may see a project with that key."""
    normalised = stored_key(key)
    if not visible_projects(user).filter(key=normalised).exists():
        raise InvalidInputError(f"there is no project {normalised!r} that you can see")
    return normalised


def stored_key(key: str) -> str:
    """Return `key` in the form in which it is stored and compared, as clients send it, and redacted: it may come from
    a header.
    """
    return normalized(clean(redact(key).text))[: Project._meta.get_field("key").max_length]
