"""Actions of the admin that ask before they change many rows."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib import admin
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse

SHOWN = 50
"""Rows that the page names; of more it says how many there are."""

Action = Callable[[Any, HttpRequest, QuerySet[Any]], HttpResponse | None]


def asking_first(description: str, *, effect: str) -> Callable[[Action], Action]:
    """Return a decorator of an action: it first shows which rows are chosen and `effect`, a sentence; then it runs.

    Only those who may change rows of the model are offered it (`Guarded.has_act_permission`).
    """

    def decorate(action: Action) -> Action:
        @admin.action(description=description, permissions=["act"])
        @wraps(action)
        def ask(model_admin: Any, request: HttpRequest, selected: QuerySet[Any]) -> HttpResponse | None:
            if request.POST.get("confirmed") == "yes":
                return action(model_admin, request, selected)
            return _question(model_admin, request, selected, description, effect)

        return ask

    return decorate


def _question(
    model_admin: Any, request: HttpRequest, selected: QuerySet[Any], description: str, effect: str
) -> HttpResponse:
    rows = list(selected[:SHOWN])
    count = selected.count() if len(rows) == SHOWN else len(rows)
    context = {
        **model_admin.admin_site.each_context(request),
        "title": "Are you sure?",
        "opts": model_admin.opts,
        "description": description,
        "effect": effect,
        "rows": rows,
        "count": count,
        "more": count - len(rows),
        "action": request.POST.get("action", ""),
        "across": request.POST.get("select_across", "0"),
        "keys": request.POST.getlist(ACTION_CHECKBOX_NAME),
        "checkbox": ACTION_CHECKBOX_NAME,
    }
    return TemplateResponse(request, "admin/confirm_action.html", context)
