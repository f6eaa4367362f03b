"""Which transcripts are read how far, and what was learned from them."""

from __future__ import annotations

from django.db import models

from memoryserver.accounts.models import OwnedModel
from memoryserver.vectors.models import Embeddable


class CaptureState(OwnedModel):
    """How far one transcript (a context) of a user has been delivered: the laptop's high-water marks as last seen."""

    context_id = models.CharField(max_length=200)
    agent_kind = models.CharField(max_length=50, blank=True)
    transcript = models.TextField(blank=True)
    last_message_index = models.BigIntegerField(default=0)
    compaction_count = models.PositiveIntegerField(default=0)
    last_captured_at = models.DateTimeField()
    learnings_delivered = models.PositiveIntegerField(default=0)

    class Meta:
        ordering = ["-last_captured_at"]
        constraints = [models.UniqueConstraint(fields=["user", "context_id"], name="capture_state_once")]

    def __str__(self) -> str:
        return self.context_id


class Capture(models.Model):
    """One delivered queue file: a range of messages of a context.

    Its id is made of those, so the same range is the same capture.
    """

    state = models.ForeignKey(CaptureState, on_delete=models.CASCADE, related_name="captures")
    capture_id = models.UUIDField()
    captured_at = models.DateTimeField()
    received_at = models.DateTimeField(auto_now_add=True)
    first_message_index = models.BigIntegerField()
    last_message_index = models.BigIntegerField()
    compaction_number = models.PositiveIntegerField()
    metadata = models.JSONField(default=dict)

    class Meta:
        ordering = ["-received_at"]
        constraints = [models.UniqueConstraint(fields=["state", "capture_id"], name="capture_once")]

    def __str__(self) -> str:
        return str(self.capture_id)


class Learning(OwnedModel, Embeddable):
    """Something that was learned, kept once however often it is met.

    The same learning: same user, project, type and content, white space and case aside (`identity`).
    """

    type = models.CharField(max_length=32)
    content = models.TextField()
    identity = models.CharField(max_length=64, editable=False)
    confidence = models.FloatField()
    reasons = models.JSONField(default=list, help_text="why this confidence")
    files = models.JSONField(default=list)
    tools = models.JSONField(default=list)
    seen_count = models.PositiveIntegerField(default=1)
    first_seen = models.DateTimeField()
    last_seen = models.DateTimeField()
    hidden = models.BooleanField(default=False, help_text="found by nobody's search, and not brought back by capture")

    class Meta:
        ordering = ["-last_seen", "-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["user", "project", "type", "identity"], name="learning_once", nulls_distinct=False
            )
        ]
        indexes = [
            models.Index(fields=["project", "-last_seen"], name="learning_project"),
            models.Index(
                fields=["embed_after"],
                condition=~models.Q(embedded_digest=models.F("content_digest")),
                name="learning_pending",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.type}: {self.content[:80]}"


class LearningSource(models.Model):
    """Where a learning was met: the message of a transcript."""

    learning = models.ForeignKey(Learning, on_delete=models.CASCADE, related_name="sources")
    capture = models.ForeignKey(Capture, on_delete=models.CASCADE, related_name="sources")
    message_index = models.BigIntegerField()
    message_uuid = models.CharField(max_length=100, blank=True)

    class Meta:
        ordering = ["capture", "message_index"]
        constraints = [
            models.UniqueConstraint(fields=["learning", "capture", "message_index"], name="learning_source_once")
        ]

    def __str__(self) -> str:
        return f"message {self.message_index} of {self.capture}"
