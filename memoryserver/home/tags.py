"""Template tags of the scope: its bar in a page's form, and links that keep it."""

from __future__ import annotations

from typing import Any

from django import template
from django.http import QueryDict
from django.urls import reverse

from memoryserver.home.scope import ANY_TIME, bar_of, query_of, scope_of

register = template.Library()


@register.inclusion_tag("memoryserver/_scope.html", takes_context=True)
def scope_bar(context: template.Context, default: str = ANY_TIME) -> dict[str, Any]:
    """Render the selects of team, project and period; `default` is the period of a page whose address has none."""
    request = context["request"]
    return {"bar": bar_of(scope_of(request.user, request.GET, default), default)}


@register.simple_tag(takes_context=True)
def link(context: template.Context, name: str, *args: Any, **query: Any) -> str:
    """Return the address of the page `name` with `args`, with the scope of this page and `query`.

    Empty values of `query` are left out; those named as a part of the scope replace it.
    """
    request = context.get("request")
    kept = QueryDict(query_of(request.GET).removeprefix("?") if request else "", mutable=True)
    for key, value in query.items():
        if value in ("", None):
            kept.pop(key, None)
        else:
            kept[key] = str(value)
    address = reverse(name, args=args)
    return f"{address}?{kept.urlencode()}" if kept else address
