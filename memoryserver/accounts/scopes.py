"""Scopes of API tokens: what a token may be used for. Every API operation declares the one that it needs."""

from __future__ import annotations

from collections.abc import Iterable

from django.db import models

from memoryserver.errors import InvalidInputError


class Scope(models.TextChoices):
    """A scope of a token. None includes another."""

    INGEST = "ingest", "send entries, learnings, tool calls and observations"
    READ = "read", "search and read what its user may see"
    MANAGE = "manage", "change, hide and delete learnings"


LAPTOP = (Scope.INGEST, Scope.READ)
"""The scopes that `memory login` asks for: what hooks, commands and tools of a laptop need."""

ALL = tuple(Scope)


def scopes_in(names: Iterable[str]) -> list[str]:
    """Return `names` in the order of Scope, each once. Raises InvalidInputError for an unknown one or for none."""
    requested = set(names)
    unknown = sorted(requested - set(Scope.values))
    if unknown:
        raise InvalidInputError(f"unknown scope {unknown[0]!r}; choose from: {', '.join(Scope.values)}")
    if not requested:
        raise InvalidInputError(f"a token needs at least one scope; choose from: {', '.join(Scope.values)}")
    return [scope for scope in Scope.values if scope in requested]
