"""Queries of sessions by visibility."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from django.contrib.auth.models import AnonymousUser
from django.db.models import QuerySet
from django.urls import reverse

from memoryserver.accounts.models import User
from memoryserver.accounts.visibility import visible_rows
from memoryserver.common.counted import counted
from memoryserver.search.lookup import Finder, Match, match_of
from trajectory.models import Trajectory

LATEST_FIRST = ("-last_call_at", "-pk")
SOURCE = "sessions"
PAGE = "trajectory-session"
_LEAST = 4  # characters by which sessions are found


def visible(user: User | AnonymousUser, *, project: str | None = None) -> QuerySet[Trajectory]:
    """Return the sessions that `user` may see, the latest first; only of `project` (a project's key) if given."""
    rows = visible_rows(Trajectory.objects.select_related("user", "project"), user).order_by(*LATEST_FIRST)
    return rows.filter(project__key=project) if project else rows


def find(user: User | AnonymousUser, session_id: str, agent_id: str = "") -> Trajectory | None:
    """Return the session with that id, the user's own before a team mate's; None if `user` can see none."""
    rows = list(visible(user).filter(session_id=session_id, agent_id=agent_id)[:20])
    return next((row for row in rows if row.user_id == user.pk), rows[0] if rows else None)


def addresses(viewer: User | AnonymousUser, wanted: Collection[tuple[int, str]]) -> Mapping[tuple[int, str], str]:
    """Return the URLs of the sessions, known by owner and id, that `viewer` may see; one query."""
    owners, ids = {owner for owner, _ in wanted}, {session_id for _, session_id in wanted}
    rows = visible(viewer).filter(user__in=owners, session_id__in=ids, agent_id="").order_by()
    keys = {(owner, session_id): key for key, owner, session_id in rows.values_list("pk", "user", "session_id")}
    return {each: reverse("trajectory-session", args=[keys[each]]) for each in wanted if each in keys}


def look_up(user: User, word: str, limit: int) -> Sequence[Match]:
    """Return the sessions with that id; else those whose id begins so. The main agent stands for its sub-agents."""
    rows = visible(user).filter(agent_id="")
    if exact := list(rows.filter(session_id=word)[:limit]):
        return [_match(row) for row in exact]
    if of_agents := visible(user).filter(session_id=word).first():
        return [_match(of_agents)]
    if len(word) < _LEAST:
        return []
    return [_match(row, exact=False) for row in rows.filter(session_id__startswith=word)[:limit]]


def of_page(user: User, key: str) -> Sequence[Match]:
    """Return the session on the page with that key."""
    return [_match(row) for row in visible(user).filter(pk=int(key))]


def _match(row: Trajectory, *, exact: bool = True) -> Match:
    title = row.title or counted(row.calls_made, "tool call")
    title = f"{title}, agent {row.agent_id}" if row.agent_id else title
    key = f"{SOURCE}/{row.session_id}"
    return match_of(row, "session", key, title=title, created_at=row.last_call_at, page_name=PAGE, exact=exact)


FINDER = Finder(SOURCE, look_up, PAGE, of_page)
