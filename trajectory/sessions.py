"""Queries of sessions by visibility."""

from __future__ import annotations

from django.contrib.auth.models import AnonymousUser
from django.db.models import QuerySet
from django.urls import reverse

from memoryserver.accounts.models import User
from memoryserver.accounts.visibility import visible_rows
from trajectory.models import Trajectory

LATEST_FIRST = ("-last_call_at", "-pk")


def visible(user: User | AnonymousUser, *, project: str | None = None) -> QuerySet[Trajectory]:
    """Return the sessions that `user` may see, the latest first; only of `project` (a project's key) if given."""
    rows = visible_rows(Trajectory.objects.select_related("user", "project"), user).order_by(*LATEST_FIRST)
    return rows.filter(project__key=project) if project else rows


def find(user: User | AnonymousUser, session_id: str, agent_id: str = "") -> Trajectory | None:
    """Return the session with that id, the user's own before a team mate's; None if `user` can see none."""
    rows = list(visible(user).filter(session_id=session_id, agent_id=agent_id)[:20])
    return next((row for row in rows if row.user_id == user.pk), rows[0] if rows else None)


def address(viewer: User | AnonymousUser, owner: User, session_id: str) -> str:
    """Return the URL of the page of the owner's session, "" if `viewer` can see none."""
    key = visible(viewer).filter(user=owner, session_id=session_id, agent_id="").values_list("pk", flat=True).first()
    return "" if key is None else reverse("trajectory-session", args=[key])
