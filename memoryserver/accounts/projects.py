"""Project rows for the keys that clients send."""

from __future__ import annotations

from memoryserver.accounts.models import Project, User
from memoryserver.accounts.visibility import visible_projects
from memoryserver.common.project_key import normalized
from memoryserver.common.redaction import redact
from memoryserver.common.text import clean


def project_for(user: User, key: str) -> Project | None:
    """Return the project that `key` means for `user`, or None for a blank key.

    The user's own project comes first, then the oldest one shared with them, so that a team's agents write into one
    project. If there is neither, a private project is created.
    """
    key = stored_key(key)
    if not key:
        return None
    projects = sorted(
        visible_projects(user).filter(key=key), key=lambda project: (project.owner_id != user.pk, project.pk)
    )
    return projects[0] if projects else Project.objects.get_or_create(owner=user, key=key)[0]


def visible_key(user: User, key: str) -> str:
    """Return `key` normalised as stored. Raises ValueError unless `user` may see a project with that key."""
    normalised = stored_key(key)
    if not visible_projects(user).filter(key=normalised).exists():
        raise ValueError(f"there is no project {normalised!r} that you can see")
    return normalised


def stored_key(key: str) -> str:
    """Return `key` in the form in which it is stored and compared, as clients send it, and redacted: it may come from
    a header.
    """
    return normalized(clean(redact(key).text))[: Project._meta.get_field("key").max_length]
