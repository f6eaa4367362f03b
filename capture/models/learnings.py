"""Learnings, where they come from, and what people and their use have made of them."""

from __future__ import annotations

from django.db import models

from capture.models.contexts import Capture
from memoryserver.accounts.models import OwnedModel, Project, User
from memoryserver.vectors.models import Embeddable


class Learning(OwnedModel, Embeddable):
    """Something that was learned, stored once (LearningIdentity); `belief.rules` says what may enter a context."""

    class Source(models.TextChoices):
        """How the learning came about, the best first; of several the best counts."""

        AGENT = "agent", "the agent itself, or a person by hand"
        OBSERVED = "observed", "what happened: commands and their outcomes, refused calls"
        STATED = "stated", "what was said"

    class StoredBy(models.TextChoices):
        """Who stored it by hand."""

        AGENT = "agent", "an agent"
        PERSON = "person", "a person"

    type = models.CharField(max_length=32)
    content = models.TextField()
    source = models.CharField(max_length=10, choices=Source.choices, default=Source.STATED)
    confidence = models.FloatField(help_text="how likely it is worth keeping, from 0 to 1")
    is_report = models.BooleanField(default=False, help_text="says how one task went, so it enters no context")
    reasons = models.JSONField(default=list, help_text="why this confidence")
    files = models.JSONField(default=list)
    tools = models.JSONField(default=list)
    seen_count = models.PositiveIntegerField(default=1)
    first_seen = models.DateTimeField()
    last_seen = models.DateTimeField()
    hidden = models.BooleanField(default=False, help_text="found by nobody's search, and not brought back by capture")
    pinned = models.BooleanField(default=False, help_text="comes before all others in what agents are told")
    merged_into: models.ForeignKey[Learning | None, Learning | None] = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.SET_NULL, related_name="merged",
        help_text="the learning that says the same in better words and is shown instead",
    )  # fmt: skip
    distinct_from: models.ManyToManyField[Learning, models.Model] = models.ManyToManyField(
        "self", blank=True, help_text="learnings that a person has separated it from, so that they are not merged again"
    )
    judged_digest = models.CharField(max_length=64, blank=True, editable=False)
    judge_verdict = models.CharField(max_length=10, blank=True, help_text="accepted, rewritten or rejected, or none")
    compared_digest = models.CharField(max_length=64, blank=True, editable=False)
    by_hand_at = models.DateTimeField(null=True, blank=True, help_text="when its owner first stored it by hand")
    by_hand_session = models.CharField(
        max_length=200, blank=True, help_text="the agent's session that did, where it is known"
    )
    by_hand_by = models.CharField(
        max_length=10, blank=True, choices=StoredBy.choices, help_text="who did, where it is known"
    )
    reviewed_at = models.DateTimeField(null=True, blank=True, help_text="when a person last kept or changed it")
    reviewed_by = models.ForeignKey(User, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")

    class Meta:
        ordering = ["-last_seen", "-pk"]
        indexes = [
            models.Index(fields=["project", "-last_seen"], name="learning_project"),
            models.Index(fields=["user", "-last_seen"], name="learning_user"),
            models.Index(
                fields=["by_hand_session"], condition=~models.Q(by_hand_session=""), name="learning_by_hand_session"
            ),
            models.Index(fields=["-first_seen"], condition=models.Q(reviewed_at=None), name="learning_unreviewed"),
            models.Index(fields=["-pinned", "-last_seen", "-id"], name="learning_pinned_first"),
            models.Index(
                fields=["embed_after"],
                include=["embed_attempts"],
                condition=~models.Q(embedded_digest=models.F("content_digest")),
                name="learning_unembedded",
            ),
        ]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(source__in=["agent", "observed", "stated"]), name="learning_source_known"
            )
        ]

    def __str__(self) -> str:
        return f"{self.type}: {self.content[:80]}"


class LearningUsage(models.Model):
    """How often a learning was used: see `belief.usage`."""

    learning = models.OneToOneField(Learning, on_delete=models.CASCADE, primary_key=True, related_name="usage")
    shown = models.PositiveBigIntegerField(default=0, help_text="days on which it was put into a context")
    shown_on = models.DateField(null=True, help_text="the last of these days")
    returned = models.PositiveBigIntegerField(default=0, help_text="returned by a search")
    opened = models.PositiveBigIntegerField(default=0, help_text="read in full")
    quoted = models.PositiveBigIntegerField(default=0, help_text="said again after it was shown or returned")
    followed = models.PositiveBigIntegerField(default=0, help_text="days on which a command that it names ran")
    followed_on = models.DateField(null=True, help_text="the last of these days")
    contradicted = models.PositiveBigIntegerField(default=0, help_text="contradicted by a later learning")

    class Meta:
        verbose_name_plural = "usage of learnings"

    def __str__(self) -> str:
        return f"learning {self.learning_id}: shown {self.shown}, returned {self.returned}, opened {self.opened}"


class Contradiction(models.Model):
    """Two learnings of one project of which the later one contradicts the earlier one, and what a person decided.

    Found by a job (`merging.disagreements`), which hides neither of them.
    """

    class Decision(models.TextChoices):
        """What stays: one of the learnings, so that the other is hidden, or both."""

        EARLIER = "earlier"
        LATER = "later"
        BOTH = "both"

    earlier = models.ForeignKey(Learning, on_delete=models.CASCADE, related_name="contradicted_by")
    later = models.ForeignKey(Learning, on_delete=models.CASCADE, related_name="contradicts")
    reason = models.CharField(max_length=10, help_text="of merging.contradiction.REASONS")
    found_at = models.DateTimeField(auto_now_add=True)
    decision = models.CharField(max_length=10, choices=Decision.choices, blank=True, help_text="empty while it is open")
    decided_by = models.ForeignKey(User, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    decided_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-found_at", "-pk"]
        constraints = [models.UniqueConstraint(fields=["earlier", "later"], name="contradiction_once")]
        indexes = [models.Index(fields=["earlier"], condition=models.Q(decision=""), name="contradiction_open")]

    def __str__(self) -> str:
        return f"{self.later_id} contradicts {self.earlier_id}"


class LearningIdentity(models.Model):
    """A wording of a learning, as a digest that ignores white space and case.

    Learnings with the same user, project, type and wording are the same. A learning has one identity for each wording
    it ever had, so that a corrected one is not captured again with its former wording. An identity without a learning
    is that of a deleted one, and prevents it from being captured again.
    """

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+")
    project = models.ForeignKey(Project, null=True, blank=True, on_delete=models.CASCADE, related_name="+")
    type = models.CharField(max_length=32)
    digest = models.CharField(max_length=64)
    learning = models.ForeignKey(Learning, null=True, blank=True, on_delete=models.SET_NULL, related_name="identities")

    class Meta:
        verbose_name_plural = "learning identities"
        constraints = [
            models.UniqueConstraint(
                fields=["user", "project", "type", "digest"], name="learning_identity_once", nulls_distinct=False
            )
        ]

    def __str__(self) -> str:
        return f"{self.type} {self.digest[:12]}"


class LearningChange(models.Model):
    """A change of a learning by a person, or, without `made_by`, a merge, a verdict of the judge or a withdrawal."""

    class What(models.TextChoices):
        """The kinds of change."""

        CORRECTED = "corrected"
        PINNED = "pinned"
        UNPINNED = "unpinned"
        HIDDEN = "hidden"
        SHOWN = "shown"
        MERGED = "merged"
        SEPARATED = "separated"
        ACCEPTED = "accepted"
        REWRITTEN = "rewritten"
        REJECTED = "rejected"
        RESTORED = "restored"
        WITHDRAWN = "withdrawn"

    learning = models.ForeignKey(Learning, on_delete=models.CASCADE, related_name="changes")
    what = models.CharField(max_length=10, choices=What.choices)
    before = models.TextField(blank=True, help_text="the wording that was corrected, or was merged or separated")
    made_by = models.ForeignKey(User, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    made_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-made_at", "-pk"]

    def __str__(self) -> str:
        return f"{self.what} by {self.made_by or 'deleted user'}"


class LearningSource(models.Model):
    """A message of a transcript that a learning was extracted from."""

    learning = models.ForeignKey(Learning, on_delete=models.CASCADE, related_name="sources")
    capture = models.ForeignKey(Capture, on_delete=models.CASCADE, related_name="sources")
    message_index = models.BigIntegerField()
    message_uuid = models.CharField(max_length=100, blank=True)
    message_time = models.DateTimeField(null=True, blank=True, help_text="as the transcript says, even if it is wrong")
    quote = models.TextField(blank=True, help_text="lines of the message around the learning, without secrets")

    class Meta:
        ordering = ["capture", "message_index"]
        constraints = [
            models.UniqueConstraint(fields=["learning", "capture", "message_index"], name="learning_source_once")
        ]

    def __str__(self) -> str:
        return f"message {self.message_index} of {self.capture}"
