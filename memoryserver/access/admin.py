"""Admin of laptops, invitations and sign-ins of programs.

There is no page of people's browsers, second factors and connections, which are theirs alone to see.
"""

from __future__ import annotations

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount, SocialApp, SocialToken
from allauth.usersessions.models import UserSession
from django.contrib import admin

from memoryserver.access.models import DeviceGrant, Invitation, Laptop
from memoryserver.admin.read_only import ReadOnly

for model in (EmailAddress, Authenticator, SocialAccount, SocialApp, SocialToken, UserSession):
    admin.site.unregister(model)


@admin.register(Laptop)
class LaptopAdmin(ReadOnly, admin.ModelAdmin[Laptop]):
    """Laptops as each last reported itself."""

    rows_are_personal = True
    list_display = ["name", "user", "version", "waiting", "failed", "capture_runs", "token", "seen_at"]
    list_filter = ["version", "capture_runs", "user"]
    list_select_related = ["user", "token"]
    search_fields = ["name", "user__username", "client_id"]
    date_hierarchy = "seen_at"


@admin.register(Invitation)
class InvitationAdmin(admin.ModelAdmin[Invitation]):
    """Invitations: made on their page; deleting an open one here makes its link useless."""

    text_names_a_person = True
    list_display = ["email", "team", "invited_by", "created_at", "expires_at", "accepted_at"]
    list_filter = [("accepted_at", admin.EmptyFieldListFilter), "team"]
    list_select_related = ["team", "invited_by"]
    search_fields = ["email", "invited_by__username"]
    date_hierarchy = "created_at"
    exclude = ["digest"]

    def has_add_permission(self, request: object) -> bool:
        """Return False: the page of invitations makes them and shows the link once."""
        return False

    def has_change_permission(self, request: object, obj: Invitation | None = None) -> bool:
        """Return False: an invitation is not changed after it was sent."""
        return False


@admin.register(DeviceGrant)
class DeviceGrantAdmin(ReadOnly, admin.ModelAdmin[DeviceGrant]):
    """Requests of `memory login` for a token, and who allowed or denied each; without the codes."""

    rows_are_personal = True
    list_display = ["client_name", "user", "state", "client", "address", "created_at", "expires_at"]
    list_filter = ["state"]
    list_select_related = ["user"]
    search_fields = ["client_name", "user__username"]
    date_hierarchy = "created_at"
    exclude = ["digest", "user_code"]
