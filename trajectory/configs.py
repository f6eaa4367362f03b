"""Which observers look at whose calls: versions of configurations, and the one that holds in a place."""

from __future__ import annotations

import hashlib
import json
import logging
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.utils.module_loading import import_string

from memoryserver.accounts.models import Project, Team, User
from memoryserver.accounts.visibility import visible_projects
from trajectory.local.config import resolve, schema
from trajectory.local.engine.triggers import ObserverConfig as LocalConfig
from trajectory.models import ObserverConfig

logger = logging.getLogger(__name__)

Scope = User | Team | Project


@dataclass(frozen=True)
class Effective:
    """The configuration that holds; `version` changes whenever it does."""

    body: dict[str, Any]
    version: str


def current(scope: Scope) -> ObserverConfig | None:
    """The newest version of the configuration for `scope`, None where there is none."""
    return ObserverConfig.objects.filter(**_named(scope)).order_by("-version").first()


def change(scope: Scope, body: dict[str, Any], by: User) -> ObserverConfig:
    """Keep `body` as the next version for `scope`; the newest where nothing changes.

    Raises ValidationError for one that cannot be used, PermissionDenied where `by` has no say in `scope`.
    """
    if not may_change(by, scope):
        raise PermissionDenied("only its members change the observers of a team or a project")
    with transaction.atomic():
        scope._meta.model._default_manager.select_for_update().get(pk=scope.pk)  # versions follow each other
        newest = current(scope)
        if newest is not None and newest.body == body:
            return newest
        version = newest.version + 1 if newest else 1
        row = ObserverConfig(**_named(scope), body=body, version=version, made_by=by)
        row.full_clean()
        row.save()
    return row


def may_change(user: User, scope: Scope) -> bool:
    """Whether `user` may change the configuration for `scope`: themself, a team they are in, a project they see."""
    if isinstance(scope, User):
        return scope.pk == user.pk
    if isinstance(scope, Team):
        return scope.members.filter(pk=user.pk).exists()
    return visible_projects(user).filter(pk=scope.pk).exists()


def effective(user: User, project: Project | None) -> Effective:
    """What holds for the calls of `user` in `project`: the teams' configuration, before it the user's, before it
    the project's. Of several teams the project's own counts, else all of the user's in the order of their names.
    """
    teams: list[Team] = [project.team] if project and project.team else list(user.teams.all())
    scopes: list[Scope] = [*teams, user, *([project] if project else [])]
    rows = [row for row in map(current, scopes) if row is not None]
    body = schema.merged(*(row.body for row in rows))
    return Effective(body, _digest(body))


def observers(user: User, project: Project | None) -> tuple[LocalConfig, ...]:
    """The observers that run on the server for them; what cannot be used is logged and left out."""
    try:
        configs = schema.parse(effective(user, project).body)
    except schema.ConfigurationError:  # written for an older set of observers
        logger.exception("a stored configuration cannot be used; the default set runs")
        configs = schema.parse({})
    return configs + custom()


def custom() -> tuple[LocalConfig, ...]:
    """The observers that the server's settings name by their dotted paths."""
    found = []
    for path in settings.MEMORYSERVER_TRAJECTORY_OBSERVERS:
        try:
            found.append(resolve.config_of(import_string(path)))
        except Exception:
            logger.exception("observer is left out", extra={"observer": path})
    return tuple(found)


def _named(scope: Scope) -> dict[str, Scope | None]:
    kinds: dict[str, type[Scope]] = {"user": User, "team": Team, "project": Project}
    return {name: scope if isinstance(scope, kind) else None for name, kind in kinds.items()}


def _digest(body: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()[:16]
