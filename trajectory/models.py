"""Trajectories on the server: calls, findings, and observer configurations."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.core.exceptions import ValidationError
from django.db import models
from django.db.models import Q

from memoryserver.accounts.models import OwnedModel, Project, Team, User
from memoryserver.common import clock
from trajectory.local.config import schema


class Trajectory(OwnedModel):
    """The calls of one session, or of one sub-agent in it, and the observers' state."""

    session_id = models.CharField(max_length=200)
    agent_id = models.CharField(max_length=200, blank=True)
    calls_made = models.PositiveIntegerField(default=0)
    observed_through = models.PositiveIntegerField(default=0, help_text="the last call that observers have seen")
    last_call_at = models.DateTimeField(null=True, blank=True)
    worst = models.CharField(max_length=8, blank=True, help_text="severity of the worst finding that stands")
    memory = models.JSONField(default=dict, help_text="of the observers")

    class Meta:
        verbose_name_plural = "trajectories"
        ordering = ["-last_call_at", "-pk"]
        constraints = [models.UniqueConstraint(fields=["user", "session_id", "agent_id"], name="trajectory_once")]
        indexes = [
            models.Index(fields=["project", "-last_call_at"], name="trajectory_project"),
            models.Index(
                fields=["id"], condition=~Q(observed_through=models.F("calls_made")), name="trajectory_unobserved"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.session_id} ({self.agent_id})" if self.agent_id else self.session_id


class ToolCall(OwnedModel):
    """One tool call, identified by the client's id. `body` is the record that observers read.

    `made_at` is the time in the record, or the time of arrival where that cannot be right.
    """

    trajectory = models.ForeignKey(Trajectory, on_delete=models.CASCADE, related_name="calls")
    session_id = models.CharField(max_length=200)
    agent_id = models.CharField(max_length=200, blank=True)
    call_id = models.CharField(max_length=100)
    call_index = models.PositiveIntegerField(help_text="counts from 1 in the trajectory")
    tool_name = models.CharField(max_length=100)
    outcome = models.CharField(max_length=12)
    made_at = models.DateTimeField()
    received_at = models.DateTimeField(auto_now_add=True)
    body = models.JSONField()
    notified = models.JSONField(
        default=list,
        help_text="the findings that the laptop's answer to this call contained, as [observer, identity]",
    )

    class Meta:
        ordering = ["trajectory", "call_index"]
        constraints = [
            models.UniqueConstraint(fields=["user", "session_id", "agent_id", "call_id"], name="toolcall_once"),
            models.UniqueConstraint(fields=["trajectory", "call_index"], name="toolcall_index_once"),
        ]

    def __str__(self) -> str:
        return f"#{self.call_index} {self.tool_name}"

    @property
    def reported_at(self) -> datetime | None:
        """The time in the record, where it cannot be right; else None."""
        reported = clock.from_text(self.body["timestamp"])
        return None if reported == self.made_at else reported


class AssessmentRecord(OwnedModel):
    """One finding, from its beginning until its pattern ended."""

    trajectory = models.ForeignKey(Trajectory, on_delete=models.CASCADE, related_name="findings")
    observer = models.CharField(max_length=100)
    identity = models.CharField(max_length=400)
    severity = models.CharField(max_length=8)
    summary = models.TextField()
    body = models.JSONField(help_text="the assessment")
    began_at_call = models.PositiveIntegerField()
    began_at = models.DateTimeField()
    ended_at_call = models.PositiveIntegerField(null=True, blank=True)
    told_at_call = models.PositiveIntegerField(
        null=True, blank=True, help_text="the call whose answer to the agent contained it, the last one"
    )

    class Meta:
        ordering = ["-began_at", "-pk"]
        indexes = [models.Index(fields=["trajectory", "began_at_call"], name="assessment_of_trajectory")]

    def __str__(self) -> str:
        return f"{self.observer} ({self.severity})"


class ObserverConfig(models.Model):
    """One version of an observer configuration of a user, team or project. Versions are added, never changed."""

    user = models.ForeignKey(User, null=True, blank=True, on_delete=models.CASCADE, related_name="+")
    team = models.ForeignKey(Team, null=True, blank=True, on_delete=models.CASCADE, related_name="+")
    project = models.ForeignKey(Project, null=True, blank=True, on_delete=models.CASCADE, related_name="+")
    version = models.PositiveIntegerField(editable=False)
    body = models.JSONField(default=dict, help_text="see docs/trajectory.md; what is not named is as by default")
    made_at = models.DateTimeField(auto_now_add=True)
    made_by = models.ForeignKey(User, null=True, editable=False, on_delete=models.SET_NULL, related_name="+")

    class Meta:
        verbose_name = "observer configuration"
        ordering = ["-made_at", "-pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(user__isnull=False, team__isnull=True, project__isnull=True)
                | Q(user__isnull=True, team__isnull=False, project__isnull=True)
                | Q(user__isnull=True, team__isnull=True, project__isnull=False),
                name="observerconfig_one_scope",
                violation_error_message="a configuration is for one user, one team or one project",
            ),
            models.UniqueConstraint(
                fields=["user", "team", "project", "version"], nulls_distinct=False, name="observerconfig_version_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.scope}, version {self.version}"

    @property
    def scope(self) -> str:
        """The user, team or project it is for."""
        if self.user_id:
            return f"user {self.user}"
        return f"team {self.team}" if self.team_id else f"project {self.project}"

    def clean(self) -> None:
        """Reject unknown observers and settings, and thresholds of zero or below."""
        super().clean()
        check_body(self.body)


def check_body(body: Any) -> None:
    """Raise ValidationError with the reason if the configuration is invalid."""
    try:
        schema.parse(body)
    except schema.ConfigurationError as error:
        raise ValidationError({"body": str(error)}) from error
