"""The admin site: it records what is deleted, and answers addresses and forms that make no sense without failing."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from typing import Any

from allauth.account.decorators import secure_admin_login
from django.contrib import admin
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.admin.options import IncorrectLookupParameters
from django.contrib.admin.views.main import ChangeList
from django.contrib.auth.decorators import login_not_required
from django.core.exceptions import BadRequest, ValidationError
from django.db import models, transaction
from django.http import HttpRequest, HttpResponse
from django.utils.decorators import method_decorator

from memoryserver.accounts.models import Project, Team
from memoryserver.admin.looks import private_of_others
from memoryserver.admin.read_only import ReadOnly
from memoryserver.admin.related import related_lists
from memoryserver.admin.signals import private_rows_viewed, row_deleted, row_saved


class GuardedChangeList(ChangeList):
    """A list that treats a date out of range (`captured_at__year=9999`) as any other invalid filter."""

    def get_filters(self, request: HttpRequest) -> Any:
        """Return the filters. Raises IncorrectLookupParameters, for which the admin shows the unfiltered list."""
        try:
            return super().get_filters(request)
        except (OverflowError, ValueError) as error:
            raise IncorrectLookupParameters(error) from error


class Guarded:
    """Mixed into every registered ModelAdmin, so that none can go without."""

    model: type[models.Model]
    opts: Any
    admin_site: admin.AdminSite
    text_names_a_person: bool
    """Whether the text form of a row is a person's name, of which the log keeps no digest; by default not."""
    rows_are_personal: bool
    """Whether rows are their user's alone, whatever their project; by default not."""
    is_record_of_look: Callable[[Any], bool]
    """Whether a row is itself the record of a look, at which a look is not recorded; by default none is."""
    agent_session_field: str
    """The field with the agent's session, by which rows of different models are joined; by default none."""

    def has_act_permission(self, request: HttpRequest) -> bool:
        """Return whether the administrator may run actions that change rows, also of evidence that no form changes."""
        return bool(request.user.has_perm(f"{self.opts.app_label}.change_{self.opts.model_name}"))

    def render_change_form(self, request: HttpRequest, context: dict[str, Any], **options: Any) -> HttpResponse:
        """Render the page of a row, with links to the lists of the rows that belong to it."""
        if (row := options.get("obj")) is not None:
            context["related_lists"] = related_lists(self.admin_site, request, row)
        return super().render_change_form(request, context, **options)  # type: ignore[misc,no-any-return]

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        """Return the class of the list."""
        return GuardedChangeList

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Show the list or run an action: what an action changes and what is recorded of it are one transaction.

        Private rows of others in the list are recorded too.
        """
        view = super().changelist_view  # type: ignore[misc]  # of the ModelAdmin that this is mixed into
        if request.method != "POST":
            response: HttpResponse = view(request, extra_context)
            if changes := getattr(response, "context_data", {}).get("cl"):
                self._record_look(request, changes.result_list)
            return response
        with transaction.atomic():
            return view(request, extra_context)  # type: ignore[no-any-return]

    def response_action(self, request: HttpRequest, queryset: models.QuerySet[Any]) -> HttpResponse | None:
        """Run an action on the selected rows. Raises BadRequest if a selected key has not the form of a key."""
        try:
            for key in request.POST.getlist(ACTION_CHECKBOX_NAME):
                self.opts.pk.to_python(key)
        except ValidationError as error:
            raise BadRequest("; ".join(error.messages)) from error
        return super().response_action(request, queryset)  # type: ignore[misc,no-any-return]

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> models.Model | None:
        """Return the row for a page about it, and record the look if it is another's private row."""
        row: models.Model | None = super().get_object(request, object_id, from_field)  # type: ignore[misc]
        if row is not None:
            self._record_look(request, [row])
        return row

    def _record_look(self, request: HttpRequest, rows: Iterable[models.Model]) -> None:
        personal = getattr(self, "rows_are_personal", False)
        if (is_record := getattr(self, "is_record_of_look", None)) is not None:
            rows = [row for row in rows if not is_record(row)]
        for author, keys in private_of_others(rows, request.user, personal=personal).items():  # type: ignore[arg-type]
            private_rows_viewed.send(self.model, author=author, keys=keys, by=request.user)

    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> Any:
        """Return what is deleted with the rows. Evidence that nobody deletes by itself goes with what it belongs to."""
        deleted, counts, needed, protected = super().get_deleted_objects(objs, request)  # type: ignore[misc]
        registry = self.admin_site._registry.items()
        closed = {str(model._meta.verbose_name) for model, shown_by in registry if isinstance(shown_by, ReadOnly)}
        return deleted, counts, set(needed) - closed, protected

    def log_addition(self, request: HttpRequest, obj: models.Model, message: Any) -> Any:
        """Record the new row, in Django's log and by the signal."""
        entry = super().log_addition(request, obj, message)  # type: ignore[misc]
        self._record_saved(request, obj, message, added=True)
        return entry

    def log_change(self, request: HttpRequest, obj: models.Model, message: Any) -> Any:
        """Record what was changed, in Django's log and by the signal, if anything was."""
        entry = super().log_change(request, obj, message)  # type: ignore[misc]
        if _fields_of(message):
            self._record_saved(request, obj, message, added=False)
        return entry

    def _record_saved(self, request: HttpRequest, row: models.Model, message: Any, *, added: bool) -> None:
        fields = _fields_of(message)
        row_saved.send(type(row), row=row, by=request.user, added=added, fields=fields, team=_team_of(row))

    def log_deletions(self, request: HttpRequest, queryset: Iterable[models.Model]) -> Any:
        """Record the rows that are about to be deleted, in Django's log and by the signal."""
        entries = super().log_deletions(request, queryset)  # type: ignore[misc]
        for row in queryset:
            digest = (
                "" if getattr(self, "text_names_a_person", False) else hashlib.sha256(str(row).encode()).hexdigest()
            )
            row_deleted.send(self.model, key=row.pk, by=request.user, digest=digest, team=_team_of(row))
        return entries


def _fields_of(message: Any) -> list[str]:
    """Return which of the row's own fields Django's log says were changed; rows beside it in the form have signals.

    A text is the message of an action or of a page of its own.
    """
    if isinstance(message, str):
        return [message[:200]]
    parts = [about for what in message for about in what.values() if "name" not in about]
    return [str(field) for about in parts for field in about.get("fields", [])]


def _team_of(row: models.Model) -> int | None:
    """Return the primary key of the team to whose project `row` belongs, or of the team; None if there is none."""
    if isinstance(row, Team):
        return row.pk
    project = row if isinstance(row, Project) else getattr(row, "project", None)
    return project.team_id if isinstance(project, Project) else None


class MemoryAdminSite(admin.AdminSite):
    """Django's site, with `Guarded` mixed into each ModelAdmin, those of other packages too."""

    site_header = site_title = "memoryserver"

    @method_decorator(login_not_required)
    def login(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Lead to the sign-in page of the site, whose limits and second factor hold for administrators too."""
        return secure_admin_login(super().login)(request, extra_context)  # type: ignore[no-any-return]

    def register(self, model_or_iterable: Any, admin_class: Any = None, **options: Any) -> None:
        """Register the model with the guarded `admin_class`."""
        own = admin_class or admin.ModelAdmin
        guarded = type(own.__name__, (Guarded, own), {"__module__": own.__module__, "__doc__": own.__doc__})
        super().register(model_or_iterable, guarded, **options)
