"""From what a laptop calls a project to the project's row."""

from __future__ import annotations

from memoryserver.accounts.models import Project, User
from memoryserver.accounts.visibility import visible_projects
from memoryserver.common.text import one_line


def project_for(user: User, key: str) -> Project | None:
    """The project that `user` means by `key`; made, private to them, if there is none. None for a blank key.

    A team mate's shared project of that key comes before making one's own, so that a team's agents
    write into one project. One's own comes first where both exist; the oldest where several are shared.
    """
    key = one_line(key)[: Project._meta.get_field("key").max_length]
    if not key:
        return None
    found = sorted(
        visible_projects(user).filter(key=key), key=lambda project: (project.owner_id != user.pk, project.pk)
    )
    return found[0] if found else Project.objects.get_or_create(owner=user, key=key)[0]


def seen_key(user: User, key: str) -> str:
    """`key` as keys are kept; ValueError unless `user` may see a project of that key."""
    kept = one_line(key)[: Project._meta.get_field("key").max_length]
    if not visible_projects(user).filter(key=kept).exists():
        raise ValueError(f"there is no project {kept!r} that you may see")
    return kept
