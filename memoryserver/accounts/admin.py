"""Admin of users, teams, projects and tokens."""

from __future__ import annotations

from django.contrib import admin, messages
from django.contrib.auth.admin import UserAdmin
from django.db.models import QuerySet
from django.http import HttpRequest

from memoryserver.accounts import tokens
from memoryserver.accounts.models import ApiToken, Membership, Project, Team, User

admin.site.register(User, UserAdmin)
admin.site.site_header = admin.site.site_title = "memoryserver"


class MembershipInline(admin.TabularInline[Membership, Team]):
    """Members of a team."""

    model = Membership
    autocomplete_fields = ["user"]
    extra = 1


@admin.register(Team)
class TeamAdmin(admin.ModelAdmin[Team]):
    """Teams and their members."""

    search_fields = ["name"]
    inlines = [MembershipInline]


@admin.register(Project)
class ProjectAdmin(admin.ModelAdmin[Project]):
    """Projects and the team each is shared with."""

    list_display = ["key", "owner", "team", "created_at"]
    list_filter = ["team"]
    list_select_related = ["owner", "team"]
    search_fields = ["key"]
    autocomplete_fields = ["owner", "team"]


@admin.register(ApiToken)
class ApiTokenAdmin(admin.ModelAdmin[ApiToken]):
    """API tokens: created here, shown once in the message after saving, revoked by an action."""

    list_display = ["name", "prefix", "user", "created_at", "last_used_at", "revoked_at"]
    list_filter = ["revoked_at"]
    list_select_related = ["user"]
    search_fields = ["name", "prefix", "user__username"]
    autocomplete_fields = ["user"]
    readonly_fields = ["prefix", "created_at", "last_used_at", "revoked_at"]
    actions = ["revoke_selected"]

    def get_readonly_fields(self, request: HttpRequest, obj: ApiToken | None = None) -> list[str]:
        """Return the read-only fields; the user of an existing token cannot be changed."""
        return [*self.readonly_fields, "user"] if obj is not None else self.readonly_fields

    def save_model(self, request: HttpRequest, obj: ApiToken, form: object, change: bool) -> None:
        """Issue a new token instead of saving the form's row, and show its text once."""
        if change:
            super().save_model(request, obj, form, change)
            return
        token, text = tokens.issue(obj.user, obj.name)
        obj.pk = token.pk
        obj.refresh_from_db()
        messages.success(request, f"The token, shown only now: {text}")

    @admin.action(description="Revoke selected tokens")
    def revoke_selected(self, request: HttpRequest, selected: QuerySet[ApiToken]) -> None:
        """Revoke the selected tokens."""
        for token in selected:
            tokens.revoke(token)
        messages.success(request, f"{len(selected)} revoked")
