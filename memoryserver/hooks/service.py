"""Takes one event: finds its session, hands it to the handlers, and puts together what they want said."""

from __future__ import annotations

import logging
import re

from django.db import transaction

from memoryserver.accounts.models import Project, User
from memoryserver.accounts.projects import project_for
from memoryserver.accounts.visibility import visible_projects
from memoryserver.common import hook_answer
from memoryserver.common.hook_answer import Answer
from memoryserver.common.hook_event import HookEvent
from memoryserver.hooks import beginnings, handlers
from memoryserver.hooks.handlers import Call
from memoryserver.hooks.models import HookSession

logger = logging.getLogger(__name__)


class NoSessionError(ValueError):
    """The event does not say of which session it is; the text says what is missing."""


def answer(user: User, event: HookEvent, project_key: str = "") -> Answer:
    """What the hook answers its agent, the empty object for nothing. Raises NoSessionError.

    `project_key` names the project where the agent's settings do; else it is that of the folder in which the session
    began. The same event again, as agents send it when no answer came, changes nothing more.
    """
    taking = [*beginnings.HANDLERS, *handlers.of(event.name)]
    if not any(event.name in handler.events for handler in taking):
        return hook_answer.nothing()
    if not event.session_id:
        raise NoSessionError("session_id is missing: an event must say of which session it is")
    with transaction.atomic():
        session = _session(user, event, project_key)
        said = [_handled(handler, session, event) for handler in taking if event.name in handler.events]
        session.save()
    return hook_answer.with_context(event.name, *said) or hook_answer.nothing()


def _handled(handler: handlers.Handler, session: HookSession, event: HookEvent) -> str:
    memory = dict(session.memory.get(handler.name, {}))
    call = Call(session.user, session.project, event, session.root, memory)
    try:
        with transaction.atomic():
            said = handler.handle(call)
    except Exception:
        # The agent's work goes on, and the other handlers' too; the log says why this one did nothing.
        logger.exception("an event was not handled", extra={"handler": handler.name, "hook_event": event.name})
        return ""
    session.memory[handler.name] = memory
    return said


def _session(user: User, event: HookEvent, project_key: str) -> HookSession:
    """The session's row, locked."""
    named = {"session_id": event.session_id, "agent_id": event.agent_id}
    row, new = HookSession.objects.get_or_create(user=user, **named, defaults={"root": event.path("cwd")})
    row = HookSession.objects.select_for_update(of=("self",)).select_related("user", "project").get(pk=row.pk)
    if project_key:
        row.project = project_for(user, project_key)
    elif new:
        row.project = _project_at(user, _root_of_parent(row) or row.root)
    return row


def _root_of_parent(row: HookSession) -> str:
    """The folder in which the session of a sub-agent began: a sub-agent may have been set to work in another."""
    if not row.agent_id:
        return ""
    parent = HookSession.objects.filter(user=row.user, session_id=row.session_id, agent_id="").first()
    return parent.root if parent else ""


def _project_at(user: User, root: str) -> Project | None:
    """The project whose checkout has this folder's name, if the user sees exactly one; else one of that name."""
    parts = [part for part in re.split(r"[\\/]", root) if part]
    if not parts:
        return None
    name = parts[-1]
    keys = set(visible_projects(user).filter(key__endswith=f"/{name}").values_list("key", flat=True))
    exact = visible_projects(user).filter(key=name).exists()
    return project_for(user, keys.pop() if len(keys) == 1 and not exact else name)
