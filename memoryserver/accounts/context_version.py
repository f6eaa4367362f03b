"""The version of each user's contexts, which laptops keep copies of.

Every answer of the API has it in a header. A laptop shows no copy of another version, so what was deleted is not told
again after the laptop's next contact with the server.
"""

from __future__ import annotations

from django.db.models import F, Q

from memoryserver.accounts.models import Project, User


def advance(owner: User, project: Project | None) -> None:
    """Count up the version of everybody who can see the rows of `owner` in `project`."""
    can_see = Q(pk=owner.pk)
    if project is not None and project.team_id is not None:
        can_see |= Q(teams=project.team_id)
    users = User.objects.filter(can_see).values("pk")
    User.objects.filter(pk__in=users).update(context_version=F("context_version") + 1)
