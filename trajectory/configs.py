"""Versions of observer configurations, and the effective one for a user and project."""

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
    """The effective configuration; `version` changes whenever it does."""

    body: dict[str, Any]
    version: str


def current(scope: Scope) -> ObserverConfig | None:
    """Return the newest version of the configuration for `scope`, None if there is none."""
    return ObserverConfig.objects.filter(**_scope_fields(scope)).order_by("-version").first()


def change(scope: Scope, body: dict[str, Any], by: User) -> ObserverConfig:
    """Store `body` as the next version for `scope`; return the newest version if nothing changes.

    Raises ValidationError for an invalid configuration, PermissionDenied if `by` may not change `scope`.
    """
    if not may_change(by, scope):
        raise PermissionDenied("only members may change the observers of a team or project")
    with transaction.atomic():
        scope._meta.model._default_manager.select_for_update().get(pk=scope.pk)  # serialises versions
        newest = current(scope)
        if newest is not None and newest.body == body:
            return newest
        version = newest.version + 1 if newest else 1
        row = ObserverConfig(**_scope_fields(scope), body=body, version=version, made_by=by)
        row.full_clean()
        row.save()
    return row


def may_change(user: User, scope: Scope) -> bool:
    """Return whether `user` may change `scope`: themself, a team they are in, or a project they can see."""
    if isinstance(scope, User):
        return scope.pk == user.pk
    if isinstance(scope, Team):
        return scope.members.filter(pk=user.pk).exists()
    return visible_projects(user).filter(pk=scope.pk).exists()


def effective(user: User, project: Project | None) -> Effective:
    """Return the configuration for calls of `user` in `project`: the teams' one, overridden by the user's, overridden
    by the project's. The team is that of the project, else all of the user's teams apply in the order of their names.
    """
    teams: list[Team] = [project.team] if project and project.team else list(user.teams.all())
    scopes: list[Scope] = [*teams, user, *([project] if project else [])]
    rows = [row for row in map(current, scopes) if row is not None]
    body = schema.merged(*(row.body for row in rows))
    return Effective(body, _digest(body))


def observers(user: User, project: Project | None) -> tuple[LocalConfig, ...]:
    """Return the observers that run on the server for `user` in `project`; invalid ones are logged and left out."""
    try:
        configs = schema.parse(effective(user, project).body)
    except schema.ConfigurationError:  # written for an older set of observers
        logger.exception("a stored configuration is invalid; the default observers run")
        configs = schema.parse({})
    return configs + custom()


def custom() -> tuple[LocalConfig, ...]:
    """Return the observers named by dotted paths in the settings."""
    configs = []
    for path in settings.MEMORYSERVER_TRAJECTORY_OBSERVERS:
        try:
            configs.append(resolve.config_of(import_string(path)))
        except Exception:
            logger.exception("observer is left out", extra={"observer": path})
    return tuple(configs)


def _scope_fields(scope: Scope) -> dict[str, Scope | None]:
    kinds: dict[str, type[Scope]] = {"user": User, "team": Team, "project": Project}
    return {name: scope if isinstance(scope, kind) else None for name, kind in kinds.items()}


def _digest(body: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()[:16]
