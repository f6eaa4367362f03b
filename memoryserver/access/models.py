"""Tables of how laptops get in."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import models

from memoryserver.accounts.models import ApiToken, Team, User
from memoryserver.accounts.scopes import Scope


class DeviceGrant(models.Model):
    """A request of `memory login` for a token, which a person allows or denies on a page: see `access.device`.

    Of the device code only a keyed digest is stored. `user` is the person who has decided.
    """

    class State(models.TextChoices):
        """What became of the request. `used`: the token was given out."""

        PENDING = "pending"
        ALLOWED = "allowed"
        DENIED = "denied"
        USED = "used"

    user = models.ForeignKey(User, null=True, on_delete=models.CASCADE, related_name="+")
    digest = models.CharField(max_length=64, unique=True)
    user_code = models.CharField(max_length=9, unique=True)
    state = models.CharField(max_length=8, choices=State.choices, default=State.PENDING)
    scopes = ArrayField(models.CharField(max_length=16, choices=Scope.choices))
    client_name = models.CharField(max_length=100)
    client = models.CharField(max_length=60)
    address = models.GenericIPAddressField(null=True)
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    interval = models.PositiveSmallIntegerField()
    polled_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"device grant {self.pk}"


class Invitation(models.Model):
    """A link by which one person makes an account: see `access.invitations`. Only a digest of its key is stored."""

    email = models.EmailField()
    team = models.ForeignKey(Team, null=True, blank=True, on_delete=models.CASCADE, related_name="+")
    digest = models.CharField(max_length=64, unique=True)
    invited_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    accepted_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return f"invitation {self.pk}"


class Laptop(models.Model):
    """A client of a user's, as it last said: see `access.laptops`. `client_id` is made by the laptop, once."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="laptops")
    client_id = models.CharField(max_length=64)
    token = models.ForeignKey(ApiToken, null=True, on_delete=models.SET_NULL, related_name="+")
    name = models.CharField(max_length=100)
    version = models.CharField(max_length=40)
    waiting = models.PositiveIntegerField()
    failed = models.PositiveIntegerField()
    capture_runs = models.BooleanField()
    seen_at = models.DateTimeField()

    class Meta:
        ordering = ["-seen_at"]
        constraints = [models.UniqueConstraint(fields=["user", "client_id"], name="laptop_once")]

    def __str__(self) -> str:
        return f"laptop {self.pk}"
