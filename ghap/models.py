"""GHAP entries and their clusters on the server."""

from __future__ import annotations

from dataclasses import replace

from django.db import models
from django.utils import timezone

from ghap.bodies import lesson_of
from ghap.local import ConfidenceTier, GHAPEntry, Lesson, OutcomeStatus
from memoryserver.accounts.models import OwnedModel, Project, User
from memoryserver.vectors.models import Embeddable

DECIDED = (OutcomeStatus.CONFIRMED.value, OutcomeStatus.FALSIFIED.value)
SOUND = ~models.Q(confidence_tier=ConfidenceTier.BRONZE.value)
"""The condition that the hypothesis is not poor: a prediction that could hardly fail says nothing."""

COUNTED = models.Q(outcome_status__in=DECIDED) & SOUND
"""The condition on entries by which predictions are counted."""


class Entry(OwnedModel, Embeddable):
    """One resolved or abandoned GHAP entry.

    `body` is the entry as sent by the client; other columns repeat what is used for filters and sorting.
    """

    ghap_id = models.CharField(max_length=100)
    session_id = models.CharField(max_length=100, help_text="the journal's session")
    agent_session = models.CharField(max_length=200, blank=True, help_text="the agent's session, where it is known")
    created_at = models.DateTimeField()
    captured_at = models.DateTimeField(help_text="when it was resolved")
    received_at = models.DateTimeField(auto_now_add=True)
    domain = models.CharField(max_length=32)
    strategy = models.CharField(max_length=32)
    outcome_status = models.CharField(max_length=16)
    iteration_count = models.PositiveIntegerField()
    collector_tier = models.CharField(max_length=16, blank=True, help_text="the tier that the journal gave")
    confidence_tier = models.CharField(max_length=16, blank=True, help_text="the tier that counts")
    quality_score = models.FloatField(null=True, blank=True, help_text="of the hypothesis, from 0 to 1")
    quality_reasons = models.JSONField(default=list, blank=True, help_text="why it is poor: kind and text of each")
    not_poor_by = models.ForeignKey(
        User, null=True, blank=True, on_delete=models.SET_NULL, related_name="+",
        help_text="the person who says that the hypothesis is not poor",
    )  # fmt: skip
    quality_version = models.PositiveIntegerField(default=0, help_text="of the rules that judged it; 0: none yet")
    goal = models.TextField()
    body = models.JSONField()

    class Meta:
        verbose_name = "GHAP entry"
        verbose_name_plural = "GHAP entries"
        ordering = ["-captured_at", "-pk"]
        constraints = [models.UniqueConstraint(fields=["user", "ghap_id"], name="ghap_entry_once")]
        indexes = [
            models.Index(fields=["project", "-captured_at"], name="ghap_entry_project"),
            # With what lists filter by and figures count, so that neither reads the rows themselves.
            models.Index(
                fields=["-captured_at", "-id"],
                include=[
                    *("user", "project", "strategy", "domain", "outcome_status", "confidence_tier", "iteration_count"),
                ],
                name="ghap_entry_figures",
            ),
            # Likewise for the list of one strategy, which may be seldom used.
            models.Index(
                fields=["strategy", "-captured_at", "-id"],
                include=["user", "project", "domain", "outcome_status", "confidence_tier"],
                name="ghap_entry_strategy",
            ),
            # What a context leaves out as poor.
            models.Index(
                fields=["project", "-captured_at"],
                condition=models.Q(outcome_status="falsified", confidence_tier="bronze"),
                name="ghap_entry_poor",
            ),
            models.Index(
                fields=["agent_session"], condition=~models.Q(agent_session=""), name="ghap_entry_agent_session"
            ),
            models.Index(
                fields=["user"],
                condition=models.Q(body__has_key="earlier_agent_sessions"),
                name="ghap_entry_adopted",
            ),
            models.Index(
                fields=["embed_after"],
                include=["embed_attempts"],
                condition=~models.Q(embedded_digest=models.F("content_digest")),
                name="ghap_entry_unembedded",
            ),
        ]

    def __str__(self) -> str:
        return self.ghap_id

    @property
    def entry(self) -> GHAPEntry:
        """The entry as the journal's class."""
        return GHAPEntry.from_dict(self.body)

    @property
    def lesson(self) -> Lesson | None:
        """The entry's lesson; to read, check and redact the whole entry takes ten times as long."""
        return lesson_of(self.body)

    @property
    def assessed_entry(self) -> GHAPEntry:
        """The entry with the assessed tier."""

        return replace(
            self.entry, confidence_tier=ConfidenceTier(self.confidence_tier) if self.confidence_tier else None
        )


class OpenEntry(OwnedModel):
    """An entry that an agent works on, as its laptop last reported it; the resolved one takes its place."""

    ghap_id = models.CharField(max_length=100)
    agent_session = models.CharField(max_length=200, blank=True, help_text="the agent's session, where it is known")
    created_at = models.DateTimeField()
    reported_at = models.DateTimeField(auto_now=True)
    domain = models.CharField(max_length=32)
    strategy = models.CharField(max_length=32)
    goal = models.TextField()
    body = models.JSONField()

    class Meta:
        verbose_name = "open GHAP entry"
        verbose_name_plural = "open GHAP entries"
        ordering = ["-created_at", "-pk"]
        constraints = [models.UniqueConstraint(fields=["user", "ghap_id"], name="ghap_open_entry_once")]
        indexes = [models.Index(fields=["project", "-created_at"], name="ghap_open_entry_project")]

    def __str__(self) -> str:
        return self.ghap_id

    @property
    def entry(self) -> GHAPEntry:
        """The entry as the journal's class."""
        return GHAPEntry.from_dict(self.body)


class Clustering(models.Model):
    """The clustering of the entries of one scope along one axis.

    The scope is a project shared with a team (`user` is null), or one user's entries in a project of their own or in
    none. Written by `ghap.clustering` and read by `ghap.clusters`.
    """

    axis = models.CharField(max_length=16)
    user = models.ForeignKey(User, null=True, blank=True, on_delete=models.CASCADE, related_name="+")
    project = models.ForeignKey(Project, null=True, blank=True, on_delete=models.CASCADE, related_name="+")
    attempted_at = models.DateTimeField(null=True, blank=True, help_text="when a job last began with it")
    computed_at = models.DateTimeField(null=True, blank=True)
    input_digest = models.CharField(max_length=64, blank=True, help_text="of what went in; the same needs no new run")
    total = models.PositiveIntegerField(default=0, help_text="entries with a vector in the scope")
    considered = models.PositiveIntegerField(default=0, help_text="of them, the newest, which went in")

    class Meta:
        ordering = ["axis", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["axis", "user", "project"], name="ghap_clustering_once", nulls_distinct=False
            ),
            models.CheckConstraint(
                condition=models.Q(user__isnull=False) | models.Q(project__isnull=False), name="ghap_clustering_scope"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.axis} of {self.user or self.project}"


class Cluster(models.Model):
    """A group of similar entries; a clustering's clusters are ordered by descending weight."""

    clustering = models.ForeignKey(Clustering, on_delete=models.CASCADE, related_name="clusters")
    rank = models.PositiveIntegerField(help_text="from 1, by weight")
    size = models.PositiveIntegerField(help_text="entries")
    weight = models.FloatField(help_text="entries, each counted by its tier")
    terms = models.JSONField(help_text="what is said in it more than elsewhere, the most telling first")

    class Meta:
        ordering = ["clustering", "rank"]

    def __str__(self) -> str:
        return ", ".join(self.terms)


class ClusterMember(models.Model):
    """One entry of a cluster; the first is the medoid, which represents the cluster."""

    cluster = models.ForeignKey(Cluster, on_delete=models.CASCADE, related_name="members")
    entry = models.ForeignKey(Entry, on_delete=models.CASCADE, related_name="+")
    rank = models.PositiveIntegerField(help_text="from 1, the most central first")
    likeness = models.FloatField(help_text="mean cosine to the other members")

    class Meta:
        ordering = ["cluster", "rank"]
        constraints = [models.UniqueConstraint(fields=["cluster", "rank"], name="ghap_cluster_member_rank")]

    def __str__(self) -> str:
        return f"{self.rank}: {self.entry}"


class Failure(models.Model):
    """Something that failed in the same way several times, with a name and a state that people give it.

    The nightly recount (`ghap.recurring.recount`) finds the clusters of surprises and root causes again, and lets each
    continue the failure with which it shares most entries. The scope is as that of a Clustering.
    """

    class State(models.TextChoices):
        """What people say about it; it is `regressed` when a solved one fails again."""

        OPEN = "open"
        KNOWN = "known"
        SOLVED = "solved"
        REGRESSED = "regressed"

    user = models.ForeignKey(User, null=True, blank=True, on_delete=models.CASCADE, related_name="+")
    project = models.ForeignKey(Project, null=True, blank=True, on_delete=models.CASCADE, related_name="+")
    name = models.CharField(max_length=200, blank=True, help_text="given by a person")
    state = models.CharField(max_length=10, choices=State.choices, default=State.OPEN)
    state_since = models.DateTimeField(default=timezone.now)
    state_by = models.ForeignKey(
        User, null=True, blank=True, on_delete=models.SET_NULL, related_name="+", help_text="none for a recount"
    )
    size = models.PositiveIntegerField(help_text="entries")
    weight = models.FloatField(help_text="of its heaviest cluster: entries, each counted by its tier")
    terms = models.JSONField(default=list)
    example = models.ForeignKey(
        Entry, null=True, blank=True, on_delete=models.SET_NULL, related_name="+", help_text="its most central entry"
    )
    first_seen = models.DateTimeField(help_text="when its first entry was resolved")
    last_seen = models.DateTimeField(help_text="when its last entry was resolved")
    gone_at = models.DateTimeField(
        null=True, blank=True, help_text="since when a recount finds no cluster for it; it may come back"
    )
    continued_in: models.ForeignKey[Failure | None, Failure | None] = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.SET_NULL, related_name="+",
        help_text="the failure that most entries of a gone one are in",
    )  # fmt: skip

    class Meta:
        ordering = ["-last_seen", "-pk"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(state__in=["open", "known", "solved", "regressed"]), name="ghap_failure_state_known"
            ),
            models.CheckConstraint(
                condition=models.Q(user__isnull=False) | models.Q(project__isnull=False), name="ghap_failure_scope"
            ),
        ]
        indexes = [
            models.Index(fields=["-last_seen", "-id"], name="ghap_failure_latest"),
            models.Index(fields=["-size", "-last_seen", "-id"], name="ghap_failure_frequent"),
        ]

    def __str__(self) -> str:
        return self.name or ", ".join(self.terms[:4]) or f"failure {self.pk}"


class FailureMember(models.Model):
    """One entry of a failure."""

    failure = models.ForeignKey(Failure, on_delete=models.CASCADE, related_name="members")
    entry = models.ForeignKey(Entry, on_delete=models.CASCADE, related_name="failures")
    rank = models.PositiveIntegerField(help_text="from 1, the most central first")

    class Meta:
        ordering = ["failure", "rank"]
        constraints = [models.UniqueConstraint(fields=["failure", "entry"], name="ghap_failure_member_once")]

    def __str__(self) -> str:
        return f"{self.rank}: entry {self.entry_id}"
