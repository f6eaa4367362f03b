"""Trajectories on the server: calls, findings, and observer configurations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal

from django.core.exceptions import ValidationError
from django.db import models
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone
from django.utils.functional import cached_property

from memoryserver.accounts.models import OwnedModel, Project, Team, User
from memoryserver.common import clock
from trajectory.local.config import schema
from trajectory.local.engine.turns import SILENCE

MAX_MOMENTS = 40  # of a finding, beside the first and the last


class TrajectoryQuerySet(models.QuerySet["Trajectory"]):
    """Queries by whether a session has ended."""

    def running(self) -> TrajectoryQuerySet:
        """Return the sessions that have not ended."""
        return self.filter(ended_at=None, last_call_at__gt=timezone.now() - SILENCE)

    def told(self) -> TrajectoryQuerySet:
        """Return the sessions in which a finding was reported to the agent."""
        findings = AssessmentRecord.objects.filter(trajectory=OuterRef("pk")).exclude(told_at_call=None)
        return self.filter(Exists(findings))

    def silent(self) -> TrajectoryQuerySet:
        """Return the sessions that have ended by silence, which is not recorded yet."""
        return self.filter(ended_at=None, last_call_at__lte=timezone.now() - SILENCE)


class Trajectory(OwnedModel):
    """The calls of one session, or of one sub-agent in it, and the observers' state.

    It ends when the agent says so, or with its last call after half an hour of silence. A later call continues it.
    """

    session_id = models.CharField(max_length=200)
    agent_id = models.CharField(max_length=200, blank=True)
    title = models.CharField(max_length=200, blank=True, help_text="its first prompt, redacted and cut")
    branch = models.CharField(max_length=200, blank=True, help_text="that was checked out at its first prompt")
    started_at = models.DateTimeField(null=True, blank=True, help_text="when its first call was made")
    calls_made = models.PositiveIntegerField(default=0)
    observed_through = models.PositiveIntegerField(default=0, help_text="the last call that observers have seen")
    last_call_at = models.DateTimeField(null=True, blank=True)
    worst = models.CharField(max_length=8, blank=True, help_text="severity of the worst open finding")
    memory = models.JSONField(default=dict, help_text="of the observers")
    ended_at = models.DateTimeField(
        null=True, blank=True, help_text="by the agent's event, or the last call after half an hour of silence"
    )

    version: str = ""  # the row's xmin, where `trajectory.stored` has saved it

    objects = TrajectoryQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "trajectories"
        ordering = ["-last_call_at", "-pk"]
        constraints = [models.UniqueConstraint(fields=["user", "session_id", "agent_id"], name="trajectory_once")]
        indexes = [
            models.Index(fields=["project", "-last_call_at"], name="trajectory_project"),
            models.Index(
                fields=["id"], condition=~Q(observed_through=models.F("calls_made")), name="trajectory_unobserved"
            ),
            models.Index(fields=["last_call_at"], condition=Q(ended_at=None), name="trajectory_not_ended"),
        ]

    def __str__(self) -> str:
        return f"{self.session_id} ({self.agent_id})" if self.agent_id else self.session_id

    @property
    def name(self) -> str:
        """The title, without one the id of the session, with that of the sub-agent."""
        return self.title or str(self)

    @property
    def duration(self) -> timedelta | None:
        """The time from its first call to its end, or to the last call while it runs; None before the first call."""
        last = self.end or self.last_call_at
        return max(last - self.started_at, timedelta()) if last and self.started_at else None

    @property
    def end(self) -> datetime | None:
        """When it ended, None while it runs; silence counts also where it is not recorded yet."""
        if self.ended_at is None and self.last_call_at and self.last_call_at <= timezone.now() - SILENCE:
            return self.last_call_at
        return self.ended_at

    @property
    def worst_open(self) -> str:
        """The severity of the worst open finding, "" for none: an ended session has none."""
        return "" if self.end else self.worst

    @cached_property
    def all_findings(self) -> Sequence[AssessmentRecord]:
        """Its findings, the last begun first, without the assessments themselves; read once."""
        return list(self.findings.defer("body").order_by("-began_at_call", "-pk"))


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
        """The time in the record, where it cannot be right; None where it is, or where the record has none."""
        return wrongly_reported(self.body.get("timestamp"), self.made_at)


def wrongly_reported(timestamp: str | None, made_at: datetime) -> datetime | None:
    """Return the time in a record of a call, None where it has none, or one that counts."""
    reported = clock.from_text(timestamp) if timestamp is not None else made_at
    return None if reported == made_at else reported


@dataclass(frozen=True)
class Moment:
    """What a finding said when it began, or when the agent was told, at the call `call`."""

    call: int
    what: Literal["noticed", "told"]
    severity: str
    summary: str


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
    ended_with_session = models.BooleanField(default=False, help_text="its pattern had not ended before")
    first_told_at_call = models.PositiveIntegerField(
        null=True, blank=True, help_text="the first call whose answer to the agent contained it"
    )
    told_at_call = models.PositiveIntegerField(
        null=True, blank=True, help_text="the call whose answer to the agent contained it, the last one"
    )
    moments = models.JSONField(
        default=list,
        help_text="where it began and where the agent was told, with its severity and summary of then",
    )

    class Meta:
        ordering = ["-began_at", "-pk"]
        indexes = [models.Index(fields=["trajectory", "began_at_call"], name="assessment_of_trajectory")]

    def __str__(self) -> str:
        return f"{self.observer} ({self.severity})"

    def note(self, call: int, what: Literal["noticed", "told"]) -> None:
        """Keep that it began, or that the agent was told, at `call`, with what it says now; not saved."""
        noted = {"call": call, "what": what, "severity": self.severity, "summary": self.summary}
        self.moments = [*self.moments[:1], *self.moments[1:][-MAX_MOMENTS:], noted]
        if what == "told":
            self.told_at_call = call
            self.first_told_at_call = self.first_told_at_call or call

    def history(self) -> Sequence[Moment]:
        """Return where it began and where the agent was told, oldest first; of old rows with what they say at last."""
        if self.moments:
            return [Moment(**noted) for noted in self.moments]
        began = Moment(self.began_at_call, "noticed", self.severity, self.summary)
        told = [] if self.told_at_call is None else [Moment(self.told_at_call, "told", self.severity, self.summary)]
        return [began, *told]

    @property
    def told_at(self) -> Sequence[int]:
        """The calls at which the agent was told."""
        return [moment.call for moment in self.history() if moment.what == "told"]

    @property
    def is_open(self) -> bool:
        """Whether its pattern goes on, in a session that runs."""
        return self.ended_at_call is None and self.trajectory.end is None

    @property
    def outlasted_session(self) -> bool:
        """Whether it was open when the session ended."""
        return self.ended_with_session or (self.ended_at_call is None and self.trajectory.end is not None)

    @property
    def last_call(self) -> int | None:
        """The call at which it ended, None while it is open."""
        return self.trajectory.calls_made if self.ended_at_call is None and not self.is_open else self.ended_at_call


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
