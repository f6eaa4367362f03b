"""Links from a row's page in the admin to the lists of the rows that belong to it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.contrib.admin import AdminSite
from django.core.exceptions import FieldDoesNotExist
from django.db import models
from django.http import HttpRequest
from django.urls import reverse


@dataclass(frozen=True)
class RelatedList:
    """The list of those rows of another model that name this one: what they are, and where the list is."""

    name: str
    address: str


def related_lists(site: AdminSite, request: HttpRequest, row: models.Model) -> Sequence[RelatedList]:
    """Return the lists that the administrator may see, by name: by foreign key, and by the agent's session."""
    lists = [*_by_key(site, request, row), *_by_session(site, request, row)]
    return sorted(lists, key=lambda related: related.name)


def _by_key(site: AdminSite, request: HttpRequest, row: models.Model) -> Iterator[RelatedList]:
    for relation in row._meta.get_fields(include_hidden=True):
        if isinstance(relation, models.ManyToOneRel) and _may_see(site, request, relation.related_model):
            name = str(relation.related_model._meta.verbose_name_plural)
            field = relation.field
            several = [own for own in relation.related_model._meta.fields if own.related_model is field.related_model]
            label = f"{name}: {field.verbose_name}" if len(several) > 1 else name
            yield _list(label, relation.related_model, {f"{field.name}__{field.target_field.name}__exact": row.pk})


def _by_session(site: AdminSite, request: HttpRequest, row: models.Model) -> Iterator[RelatedList]:
    """Yield the lists of rows of the same session of an agent, of the same user where both have one."""
    session = getattr(row, _session_field(site, type(row)), "")
    if not session:
        return
    for model in site._registry:
        field = _session_field(site, model)
        if not field or model is type(row) or not _may_see(site, request, model):
            continue
        query = {f"{field}__exact": session}
        if _has_user(model) and _has_user(type(row)):
            query["user__id__exact"] = row.user_id  # type: ignore[attr-defined]
        yield _list(f"{model._meta.verbose_name_plural} of the session", model, query)


def _session_field(site: AdminSite, model: type[models.Model]) -> str:
    return getattr(site._registry.get(model), "agent_session_field", "")


def _has_user(model: type[models.Model]) -> bool:
    try:
        model._meta.get_field("user")
    except FieldDoesNotExist:
        return False
    return True


def _may_see(site: AdminSite, request: HttpRequest, model: Any) -> bool:
    model_admin = site._registry.get(model)
    return model_admin is not None and model_admin.has_view_permission(request)


def _list(name: str, model: Any, query: dict[str, Any]) -> RelatedList:
    address = reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")
    return RelatedList(name, f"{address}?{urlencode(query)}")
