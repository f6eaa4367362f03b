"""Users, teams, projects and API tokens."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import AbstractUser
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils import timezone
from django.utils.functional import cached_property

from memoryserver.accounts.scopes import Scope


class User(AbstractUser):
    """A person. Their agents authenticate with one of their tokens.

    `context_version` is counted up when the copies of contexts on their laptops must not be shown any more: see
    `accounts.context_version`. A deleted user's row stays, without a name, for what their team shares: see
    `accounts.deletion`.
    """

    deleted_at = models.DateTimeField(null=True, blank=True, editable=False)
    context_version = models.PositiveIntegerField(default=0, editable=False)
    time_zone = models.CharField(
        max_length=64, blank=True, default="", help_text="of the pages; empty for that of the browser"
    )

    @cached_property
    def leads_teams(self) -> bool:
        """Whether they lead a team."""
        return self.membership_set.filter(role=Membership.Role.LEAD).exists()


class Team(models.Model):
    """People who share projects."""

    name = models.CharField(max_length=100, unique=True)
    members: models.ManyToManyField[User, Membership] = models.ManyToManyField(
        User, through="Membership", related_name="teams"
    )

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name


class Membership(models.Model):
    """One person in one team.

    Members see the team's projects and add rows to them; leads also manage members, projects and observers.
    """

    class Role(models.TextChoices):
        """The roles in a team."""

        LEAD = "lead"
        MEMBER = "member"

    team = models.ForeignKey(Team, on_delete=models.CASCADE)
    user = models.ForeignKey(User, on_delete=models.CASCADE)
    role = models.CharField(max_length=10, choices=Role.choices, default=Role.MEMBER)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["team", "user"], name="membership_once"),
            models.CheckConstraint(condition=models.Q(role__in=["lead", "member"]), name="membership_role_known"),
        ]

    def __str__(self) -> str:
        return f"user {self.user_id} in {self.team}"  # without a name, since the admin's log keeps it


class Project(models.Model):
    """A code base that agents work on: it belongs to one team, or is private to its owner.

    `key` is the name clients use for it (a repository's address or a folder's name), unique for its team or owner.
    """

    owner = models.ForeignKey(User, null=True, blank=True, on_delete=models.CASCADE, related_name="projects")
    team = models.ForeignKey(Team, null=True, blank=True, on_delete=models.PROTECT, related_name="projects")
    key = models.CharField(max_length=255)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["key"]
        constraints = [
            models.UniqueConstraint(fields=["owner", "key"], name="project_key_once_per_owner"),
            models.UniqueConstraint(fields=["team", "key"], name="project_key_once_per_team"),
            models.CheckConstraint(
                condition=models.Q(owner__isnull=False, team__isnull=True)
                | models.Q(owner__isnull=True, team__isnull=False),
                name="project_team_or_owner",
                violation_error_message="a project belongs to one team or to one owner",
            ),
        ]

    def __str__(self) -> str:
        return self.key


class ProjectAlias(models.Model):
    """A key that a project had before it was renamed, by which laptops with the old remote still name it."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="aliases")
    key = models.CharField(max_length=255)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name_plural = "project aliases"
        ordering = ["key"]
        constraints = [models.UniqueConstraint(fields=["key", "project"], name="project_alias_once")]

    def __str__(self) -> str:
        return self.key


class ApiToken(models.Model):
    """A token with which agents authenticate as `user`. Only its keyed digest is stored: see `accounts.tokens`.

    `addresses` are the latest from which it was used, so that a use from another one is noticed.
    """

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="api_tokens")
    name = models.CharField(max_length=100, help_text="what it is for, such as the laptop's name")
    scopes = ArrayField(models.CharField(max_length=16, choices=Scope.choices), help_text="what it may be used for")
    prefix = models.CharField(max_length=16, editable=False, help_text="its first characters, to tell it by")
    digest = models.CharField(max_length=64, unique=True, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(null=True, blank=True, help_text="it is refused from then on")
    revoked_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True, editable=False)
    last_used_by = models.CharField(max_length=60, blank=True, editable=False, help_text="the client and its version")
    addresses: ArrayField[list[str], list[str]] = ArrayField(
        models.GenericIPAddressField(), default=list, blank=True, editable=False
    )

    class Meta:
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return f"{self.name} ({self.prefix}…)"

    @property
    def state(self) -> str:
        """`active`, `expired` or `revoked`."""
        if self.revoked_at is not None:
            return "revoked"
        return "expired" if self.expires_at is not None and self.expires_at <= timezone.now() else "active"


class OwnedModel(models.Model):
    """A row that an agent sent: it belongs to a user and may belong to a project."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+")
    project: models.ForeignKey[Any, Project | None] = models.ForeignKey(
        Project, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )

    class Meta:
        abstract = True
