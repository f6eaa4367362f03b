"""Finding sessions: what one may see of them."""

from __future__ import annotations

from django.contrib.auth.models import AnonymousUser
from django.db.models import QuerySet

from memoryserver.accounts.models import User
from memoryserver.accounts.visibility import visible_rows
from trajectory.models import Trajectory


def visible(user: User | AnonymousUser, *, project: str | None = None) -> QuerySet[Trajectory]:
    """The sessions that `user` may see, the one used last first; of the project of that key where one is named."""
    rows = visible_rows(Trajectory.objects.select_related("user", "project"), user).order_by("-last_call_at", "-pk")
    return rows.filter(project__key=project) if project else rows


def find(user: User | AnonymousUser, session_id: str, agent_id: str = "") -> Trajectory | None:
    """The session of that id, one's own before a team mate's; None where there is none that one may see."""
    rows = list(visible(user).filter(session_id=session_id, agent_id=agent_id)[:20])
    return next((row for row in rows if row.user_id == user.pk), rows[0] if rows else None)
