"""Who wants the weekly mail, and when the next one is due."""

from __future__ import annotations

import uuid

from django.db import models

from memoryserver.accounts.models import User


class Subscription(models.Model):
    """A person's choice to get the weekly mail. `key` is in the link by which it is ended without signing in."""

    user = models.OneToOneField(User, on_delete=models.CASCADE, primary_key=True, related_name="digest")
    key = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    due_at = models.DateTimeField(help_text="when the next mail, or the next attempt, is due")
    attempts = models.PositiveIntegerField(default=0, help_text="of the mail that is due")
    sent_at = models.DateTimeField(null=True, blank=True)
    error = models.TextField(blank=True)

    class Meta:
        ordering = ["due_at", "pk"]

    def __str__(self) -> str:
        return f"weekly mail to user {self.user_id}"
