"""State of a session between its events."""

from __future__ import annotations

from django.db import models

from memoryserver.accounts.models import OwnedModel


class HookSession(OwnedModel):
    """One session of an agent that posts hook events, or one sub-agent in it.

    `memory` holds each handler's state, by its name. The row is locked while an event is handled, since agents run
    their hooks in parallel.
    """

    session_id = models.CharField(max_length=200)
    agent_id = models.CharField(max_length=200, blank=True)
    root = models.TextField(blank=True, help_text="the folder in which it began, on its own machine")
    memory = models.JSONField(default=dict)
    began_at = models.DateTimeField(auto_now_add=True)
    last_event_at = models.DateTimeField(auto_now=True)  # as exact as `hooks.session_cache.KEPT_SECONDS`

    version: str = ""  # the row's xmin, where `hooks.service` has read or saved it

    class Meta:
        ordering = ["-last_event_at", "-pk"]
        constraints = [models.UniqueConstraint(fields=["user", "session_id", "agent_id"], name="hook_session_once")]

    def __str__(self) -> str:
        return f"{self.session_id} ({self.agent_id})" if self.agent_id else self.session_id
