"""What is known of the transcripts that are captured: contexts, captures, failures and compactions."""

from __future__ import annotations

from django.db import models

from memoryserver.accounts.models import OwnedModel


class CaptureState(OwnedModel):
    """One transcript (a context) of a user: what the client reported, and how far it has been delivered.

    Reported contexts without learnings have a row too.
    """

    context_id = models.CharField(max_length=200)
    agent_kind = models.CharField(max_length=50, blank=True)
    transcript = models.TextField(blank=True)
    last_message_index = models.BigIntegerField(default=0)
    compaction_count = models.PositiveIntegerField(default=0)
    message_count = models.PositiveBigIntegerField(default=0, help_text="as far as it has been read")
    last_activity_at = models.DateTimeField(help_text="when somebody last spoke in it, as far as is known")
    settled_until = models.DateTimeField(
        null=True, blank=True, help_text="messages up to this time are of a session, or a part of one, that is over"
    )
    last_captured_at = models.DateTimeField(null=True, blank=True)
    learnings_delivered = models.PositiveIntegerField(default=0)

    class Meta:
        ordering = ["-last_activity_at"]
        constraints = [models.UniqueConstraint(fields=["user", "context_id"], name="capture_state_once")]
        indexes = [models.Index(fields=["last_activity_at"], name="capture_state_activity")]

    def __str__(self) -> str:
        return self.context_id


class Capture(models.Model):
    """One delivered queue file: a range of messages of a context.

    Its id is derived from those, so the same range is the same capture.
    """

    state = models.ForeignKey(CaptureState, on_delete=models.CASCADE, related_name="captures")
    capture_id = models.UUIDField()
    captured_at = models.DateTimeField()
    received_at = models.DateTimeField(auto_now_add=True)
    first_message_index = models.BigIntegerField()
    last_message_index = models.BigIntegerField()
    compaction_number = models.PositiveIntegerField()
    metadata = models.JSONField(default=dict)
    agent_session = models.CharField(max_length=200, blank=True, help_text="the agent's session of the messages")
    withdrawn = models.JSONField(
        default=list, help_text="learnings of earlier messages that the agent took back: type, digest, message"
    )

    class Meta:
        ordering = ["-received_at"]
        constraints = [models.UniqueConstraint(fields=["state", "capture_id"], name="capture_once")]
        indexes = [
            models.Index(fields=["received_at"], name="capture_received"),
            models.Index(fields=["agent_session"], name="capture_agent_session"),
        ]

    def __str__(self) -> str:
        return str(self.capture_id)


class CaptureFailure(OwnedModel):
    """A queue file that was rejected or could not be stored, and whether an alert was raised."""

    capture_id = models.CharField(max_length=100, blank=True)
    context_id = models.CharField(max_length=200, blank=True)
    reason = models.TextField()
    times = models.PositiveIntegerField(default=1)
    failed_at = models.DateTimeField(help_text="the last time")
    alerted_at = models.DateTimeField(null=True, blank=True)
    resolved_at = models.DateTimeField(null=True, blank=True, help_text="when it was stored after all, or given up")

    class Meta:
        ordering = ["-failed_at", "-pk"]
        indexes = [models.Index(fields=["user", "capture_id"], name="capture_failure_of")]

    def __str__(self) -> str:
        return self.reason


class Compaction(OwnedModel):
    """One compaction of an agent's context, reported by a hook or detected in the transcript (`detected`).

    `number` counts the compactions of a context, as capture does; None until capture has detected a reported one.
    """

    class Trigger(models.TextChoices):
        """The cause of the compaction."""

        MANUAL = "manual"
        AUTO = "auto"
        DETECTED = "detected"
        PROACTIVE_MONITOR = "proactive_monitor"

    compaction_id = models.UUIDField(help_text="made where it was noticed")
    context_id = models.CharField(max_length=200)
    trigger = models.CharField(max_length=20, choices=Trigger.choices)
    number = models.PositiveIntegerField(null=True, blank=True)
    happened_at = models.DateTimeField(help_text="of a detected one: when it was noticed")
    received_at = models.DateTimeField(auto_now_add=True)
    messages_before = models.PositiveBigIntegerField(null=True, blank=True)
    learnings_before = models.PositiveIntegerField(null=True, blank=True)

    class Meta:
        ordering = ["-happened_at", "-pk"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(trigger__in=["manual", "auto", "detected", "proactive_monitor"]),
                name="compaction_trigger_known",
            ),
            models.UniqueConstraint(fields=["user", "compaction_id"], name="compaction_once"),
            models.UniqueConstraint(fields=["user", "context_id", "number"], name="compaction_number_once"),
        ]

    def __str__(self) -> str:
        return f"{self.trigger} in {self.context_id}"
