"""Admin of users, teams, projects and tokens."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, cast

from django import forms
from django.contrib import admin, messages
from django.contrib.auth.admin import UserAdmin
from django.db.models import QuerySet
from django.http import HttpRequest

from memoryserver.accounts import deletion, tokens
from memoryserver.accounts.models import ApiToken, Membership, Project, ProjectAlias, Team, User
from memoryserver.accounts.scopes import Scope
from memoryserver.accounts.signals import membership_changed
from memoryserver.admin_actions.confirmed import asking_first


@admin.register(User)
class PersonAdmin(UserAdmin):  # type: ignore[type-arg]  # Django's class takes no type when the app is loaded
    """Users. Only a superuser deletes one, and not themselves; see `accounts.deletion` for what that means."""

    text_names_a_person = True

    def has_delete_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        """Return whether the administrator may delete users, or this one."""
        return bool(request.user.is_superuser) and (obj is None or self._is_deletable(request, obj))

    def has_change_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        """Return False for deleted users."""
        return (obj is None or obj.deleted_at is None) and super().has_change_permission(request, obj)

    def get_deleted_objects(self, objs: Iterable[User], request: HttpRequest) -> Any:
        """Return what the page of the deletion lists: each user with the number of rows that are deleted."""
        people = list(objs)
        lists = [[str(user), [f"{count} {name}" for name, count in deletion.summary(user).items()]] for user in people]
        counts: Counter[str] = Counter()
        for user in people:
            counts.update(deletion.summary(user))
        protected = [
            f"{user}: you cannot delete yourself or a deleted user"
            for user in people
            if not self._is_deletable(request, user)
        ]
        return [item for user_list in lists for item in user_list], counts, set(), protected

    def delete_model(self, request: HttpRequest, obj: User) -> None:
        """Delete the user's private rows and make the rest anonymous."""
        deletion.delete(obj, by=_acting(request))

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[User]) -> None:
        """Delete the selected users as `delete_model` does."""
        for user in queryset:
            deletion.delete(user, by=_acting(request))

    def _is_deletable(self, request: HttpRequest, user: User) -> bool:
        return user.pk != request.user.pk and user.deleted_at is None


class MembershipInline(admin.TabularInline[Membership, Team]):
    """Members of a team."""

    model = Membership
    autocomplete_fields = ["user"]
    extra = 1


@admin.register(Team)
class TeamAdmin(admin.ModelAdmin[Team]):
    """Teams and their members. A team with projects cannot be deleted."""

    search_fields = ["name"]
    inlines = [MembershipInline]

    def save_formset(self, request: HttpRequest, form: Any, formset: Any, change: bool) -> None:
        """Save the members, and tell the audit log who was added, changed or removed."""
        super().save_formset(request, form, formset, change)
        changed = [(row, row.role) for row in [*formset.new_objects, *(row for row, _ in formset.changed_objects)]]
        for row, role in [*changed, *((row, "") for row in formset.deleted_objects)]:
            membership_changed.send(Membership, team=row.team, user=row.user, role=role, by=request.user)


class ProjectAliasInline(admin.TabularInline[ProjectAlias, Project]):
    """The keys that a project had before, by which laptops may still name it."""

    model = ProjectAlias
    readonly_fields = ["key", "created_at"]
    max_num = 0


@admin.register(Project)
class ProjectAdmin(admin.ModelAdmin[Project]):
    """Projects with the team or the owner of each."""

    list_display = ["key", "team", "owner", "created_at"]
    list_filter = ["team"]
    list_select_related = ["owner", "team"]
    search_fields = ["key", "team__name", "owner__username"]
    date_hierarchy = "created_at"
    autocomplete_fields = ["owner", "team"]
    inlines = [ProjectAliasInline]

    def get_readonly_fields(self, request: HttpRequest, obj: Project | None = None) -> list[str]:
        """Return all fields of an existing project: it is moved on the page of teams, which also merges."""
        return ["key", "owner", "team", "created_at"] if obj is not None else []

    def get_deleted_objects(self, objs: Sequence[Project] | QuerySet[Project], request: HttpRequest) -> Any:
        """Return what is deleted with the projects.

        Their clusters are, which nobody may delete by themselves; that must not prevent it.
        """
        deleted, counts, _, protected = super().get_deleted_objects(objs, request)
        return deleted, counts, set(), protected


class ApiTokenForm(forms.ModelForm[ApiToken]):
    """The form of a token, with a box for each scope."""

    scopes = forms.MultipleChoiceField(choices=Scope.choices, widget=forms.CheckboxSelectMultiple)

    class Meta:
        model = ApiToken
        fields = ["user", "name", "scopes", "expires_at"]


@admin.register(ApiToken)
class ApiTokenAdmin(admin.ModelAdmin[ApiToken]):
    """API tokens: created here, shown once in the message after saving, revoked by an action."""

    list_display = ["name", "prefix", "user", "scopes", "created_at", "expires_at", "last_used_at", "revoked_at"]
    list_filter = ["revoked_at", "expires_at"]
    form = ApiTokenForm
    list_select_related = ["user"]
    search_fields = ["name", "prefix", "user__username"]
    date_hierarchy = "created_at"
    autocomplete_fields = ["user"]
    readonly_fields = ["prefix", "created_at", "last_used_at", "last_used_by", "addresses", "revoked_at"]
    actions = ["revoke_selected"]

    def get_readonly_fields(self, request: HttpRequest, obj: ApiToken | None = None) -> list[str]:
        """Return the read-only fields; the user of an existing token cannot be changed."""
        return [*self.readonly_fields, "user"] if obj is not None else self.readonly_fields

    def save_model(self, request: HttpRequest, obj: ApiToken, form: object, change: bool) -> None:
        """Issue a new token instead of saving the form's row, and show its text once."""
        if change:
            super().save_model(request, obj, form, change)
            return
        by = _acting(request)
        token, text = tokens.issue(obj.user, obj.name, scopes=obj.scopes, expires_at=obj.expires_at, by=by)
        obj.pk = token.pk
        obj.refresh_from_db()
        messages.success(request, f"The token, shown only now: {text}")

    @asking_first("Revoke selected tokens", effect="Programs that use them get no answer from then on.")
    def revoke_selected(self, request: HttpRequest, selected: QuerySet[ApiToken]) -> None:
        """Revoke the selected tokens."""
        for token in selected:
            tokens.revoke(token, by=_acting(request))
        messages.success(request, f"{len(selected)} revoked")


def _acting(request: HttpRequest) -> User:
    """Return the administrator; the admin lets nobody else in."""
    return cast("User", request.user)
