"""The addresses of the site's pages, for tests that visit all of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from uuid import UUID

from django.urls import URLPattern, URLResolver, get_resolver


def pages(patterns: list[URLPattern | URLResolver] | None = None, prefix: str = "/") -> Iterator[str]:
    """The address of every page of the site (neither the API nor the admin), with 7 for each number and UUID."""
    for pattern in get_resolver().url_patterns if patterns is None else patterns:
        path = re.sub(r"<uuid:\w+>", str(UUID(int=7)), str(pattern.pattern))
        address = prefix + re.sub(r"<\w+:\w+>|\(\?P<\w+>[^)]*\)", "7", path).strip("^$")
        if isinstance(pattern, URLPattern):
            yield address
        elif not address.startswith(("/api/", "/admin/")):
            yield from pages(pattern.url_patterns, address)
