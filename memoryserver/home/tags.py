"""Template tags of the scope: its bar in a page's form, and links that keep it."""

from __future__ import annotations

from typing import Any

from django import template
from django.core.exceptions import SuspiciousOperation
from django.urls import reverse
from django.utils.http import urlencode

from memoryserver.home.addresses import address_of, is_key
from memoryserver.home.scope import ANY_TIME, bar_of, chosen_in, left_out, scope_of

register = template.Library()


@register.inclusion_tag("memoryserver/_scope.html", takes_context=True)
def scope_bar(context: template.Context, default: str = ANY_TIME) -> dict[str, Any]:
    """Render the selects of team, project and period; `default` is the period of a page whose address has none."""
    request = context["request"]
    scope = scope_of(request.user, request.GET, default)
    return {"bar": bar_of(scope, default), "left_out": left_out(scope, request.GET)}


@register.inclusion_tag("memoryserver/_scope_fields.html", takes_context=True)
def scope_fields(context: template.Context) -> dict[str, Any]:
    """Render hidden fields with the scope of this page, for a form that leads to another one."""
    return {"fields": _scope(context)}


@register.simple_tag(takes_context=True)
def link(context: template.Context, name: str, *args: Any, **query: Any) -> str:
    """Return the address of the page `name` with `args`, with the scope of this page and `query`.

    Empty values of `query` are left out; those named as a part of the scope replace it.
    """
    chosen = _scope(context) | query
    shown = {key: value for key, value in chosen.items() if value not in ("", None)} if chosen else chosen
    address = address_of(name, args[0]) if len(args) == 1 and is_key(args[0]) else reverse(name, args=args)
    return f"{address}?{urlencode(shown)}" if shown else address


@register.simple_tag
def address(name: str, key: int) -> str:
    """Return the address `name` of the row with that key, without a scope: for forms, and what htmx fetches."""
    return address_of(name, key)


@register.simple_tag(takes_context=True)
def scoped(context: template.Context, address: str) -> str:
    """Return `address`, that of a page of this server without a query, with the scope of this page."""
    chosen = _scope(context)
    path, number, anchor = address.partition("#")
    return f"{path}?{urlencode(chosen)}{number}{anchor}" if chosen and path else address


def _scope(context: template.Context) -> dict[str, str]:
    """Return what the address of this page has chosen of the scope; kept with the request, since each link asks."""
    request: Any = getattr(context, "request", None)
    if request is None:
        return {}
    chosen: dict[str, str] | None = getattr(request, "chosen_scope", None)
    if chosen is None:
        try:
            chosen = chosen_in(request.GET)
        except SuspiciousOperation:  # this is the page that says so
            chosen = {}
        request.chosen_scope = chosen
    return chosen
