"""Heartbeats, alerts and notifications."""

from __future__ import annotations

from datetime import timedelta

from django.db import models

CLUSTER = "job cluster"
CLUSTER_START = "job cluster start"
"""The heartbeats of the workers: when they last made progress, and since when they have done so without a break."""

CLUSTER_LIMIT = timedelta(minutes=10)
"""What counts as a break: a job may delay the heartbeat for five minutes."""


class Heartbeat(models.Model):
    """The last time a part of the server worked. Stored in Postgres, so every process sees it."""

    name = models.CharField(max_length=100, primary_key=True)
    beat_at = models.DateTimeField()

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return f"{self.name} at {self.beat_at:%Y-%m-%d %H:%M:%S}"


class Alert(models.Model):
    """One problem, from its first occurrence until it ends: see `ops.alerting.alerts`."""

    key = models.CharField(max_length=200, help_text="the problem; at most one open alert has this key")
    message = models.TextField(help_text="one line")
    about = models.JSONField(default=list, help_text="ids of the objects concerned")
    began_at = models.DateTimeField()
    last_seen_at = models.DateTimeField()
    times = models.PositiveIntegerField(default=1)
    notified_at = models.DateTimeField(
        null=True, blank=True, help_text="empty until the problem has lasted long enough to be reported"
    )
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-began_at", "-pk"]
        constraints = [
            models.UniqueConstraint(fields=["key"], condition=models.Q(ended_at=None), name="one_open_alert_per_key")
        ]

    def __str__(self) -> str:
        return self.message


class Notification(models.Model):
    """One message about an alert, sent by mail or webhook: see `ops.alerting.notifications`."""

    alert = models.ForeignKey(Alert, on_delete=models.CASCADE, related_name="notifications")
    event = models.CharField(max_length=5, choices=[("began", "began"), ("ended", "ended")])
    channel = models.CharField(max_length=10, choices=[("mail", "mail"), ("webhook", "webhook")])
    made_at = models.DateTimeField()
    due_at = models.DateTimeField()
    attempts = models.PositiveIntegerField(default=0)
    sent_at = models.DateTimeField(null=True, blank=True)
    error = models.TextField(blank=True)

    class Meta:
        ordering = ["pk"]
        constraints = [models.UniqueConstraint(fields=["alert", "event", "channel"], name="notification_once")]
        indexes = [models.Index(fields=["due_at"], condition=models.Q(sent_at=None), name="notification_due")]

    def __str__(self) -> str:
        return f"{self.alert} {self.event} by {self.channel}"
