"""One request to the memory."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.db import models

from memoryserver.accounts.models import OwnedModel


class Inquiry(OwnedModel):
    """A search, a context or documents that `user`, or an agent of theirs, asked for.

    A context that a laptop keeps is one when a session gets it, whenever the laptop reports that (`deliveries`).

    Nobody but that person sees the words of a search; their team sees how often who asked.
    """

    class Kind(models.TextChoices):
        """What was asked for."""

        SEARCH = "search"
        CONTEXT = "context"
        OPEN = "open", "documents in full"
        TIMELINE = "timeline"

    class Way(models.TextChoices):
        """How it was asked for."""

        PAGE = "page", "a page of the server"
        AGENT = "agent", "a tool or hook of an agent"
        COMMAND = "command", "the memory command"
        API = "api", "another program"

    kind = models.CharField(max_length=10, choices=Kind.choices)
    way = models.CharField(max_length=10, choices=Way.choices)
    words = models.CharField(max_length=500, blank=True, help_text="of a search, or the ids that were opened")
    found = models.PositiveIntegerField(help_text="hits, lines or documents")
    agent_session = models.CharField(max_length=200, blank=True, help_text="the agent's session, where it is known")
    documents = ArrayField(
        models.CharField(max_length=120), default=list, blank=True, help_text="ids of what the answer had"
    )
    client_id = models.CharField(
        max_length=64,
        blank=True,
        default="",
        db_default="",
        help_text="of a context that a laptop kept and gave to a session: made by the laptop, once",
    )
    asked_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-asked_at", "-pk"]
        verbose_name_plural = "inquiries"
        indexes = [
            models.Index(fields=["user", "-asked_at"], name="inquiry_user"),
            models.Index(fields=["asked_at"], name="inquiry_age"),
            GinIndex(fields=["documents"], name="inquiry_documents"),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["user", "client_id"], condition=~models.Q(client_id=""), name="inquiry_delivered_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.kind} by user {self.user_id}"
