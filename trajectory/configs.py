"""Versions of observer configurations, and the effective one for a user and project."""

from __future__ import annotations

import hashlib
import json
import logging
from dataclasses import asdict, dataclass
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
class Layer:
    """The newest configuration of one scope, such as "team crew", with its version."""

    scope: str
    version: int
    body: dict[str, Any]


@dataclass(frozen=True)
class Effective:
    """The effective configuration; `version` changes whenever it or one of its `layers` does, each before the next."""

    body: dict[str, Any]
    version: str
    layers: tuple[Layer, ...] = ()


def current(user: User, scope: Scope) -> ObserverConfig | None:
    """Return the newest version of the configuration for `scope`, None if there is none.

    A project is known by its key, and each member of a team may have a project of that key: the newest version of
    those that `user` can see is in effect in all of them.
    """
    return _newest_of_key(user, scope.key) if isinstance(scope, Project) else _newest(scope)


def change(scope: Scope, body: dict[str, Any], by: User) -> ObserverConfig:
    """Store `body` as the next version for `scope`; return the newest version if nothing changes.

    For a project it is stored for each project of that key that `by` can see, under one version, so that it reaches
    all who share one of them. Raises ValidationError for an invalid configuration, PermissionDenied if `by` may not
    change `scope`.
    """
    if not may_change(by, scope):
        raise PermissionDenied("only members may change the observers of a team or project")
    with transaction.atomic():
        targets = _targets(scope, by)
        newest = [_newest(target) for target in targets]
        if newest[0] is not None and all(row is not None and row.body == body for row in newest):
            return newest[0]
        version = max(row.version if row else 0 for row in newest) + 1
        rows = [_store(target, body, version, by) for target in targets]
    return rows[0]


def may_change(user: User, scope: Scope) -> bool:
    """Return whether `user` may change `scope`: themself, a team they are in, or a project they can see."""
    if isinstance(scope, User):
        return scope.pk == user.pk
    if isinstance(scope, Team):
        return scope.members.filter(pk=user.pk).exists()
    return visible_projects(user).filter(pk=scope.pk).exists()


def reach(user: User, scope: Scope) -> str:
    """Return whose calls a configuration of `scope` made by `user` is in effect for, as the end of a sentence."""
    if isinstance(scope, User):
        return "all your calls, as far as no project's configuration differs"
    if isinstance(scope, Team):
        return f"the projects of team {scope.name} and its members, as far as theirs do not differ"
    teams = Team.objects.filter(projects__in=visible_projects(user).filter(key=scope.key)).order_by("name").distinct()
    names = " and ".join(f"team {team.name}" for team in teams)
    return (
        f"{names}, in all projects with the key {scope.key}"
        if names
        else f"you alone, in {scope.key}: it is not shared"
    )


def effective(user: User, key: str) -> Effective:
    """Return the configuration for calls of `user` in the project named `key`, "" for none.

    That is the teams' one, overridden by the user's, overridden by the project's. An observer whose settings cannot be
    used together has its default ones, and the reason is logged. The teams are those that share a
    project of that key, else all of the user's, in the order of their names.
    """
    shared = Team.objects.filter(projects__in=visible_projects(user).filter(key=key)) if key else Team.objects.none()
    teams = list(shared.order_by("name").distinct()) or list(user.teams.all())
    scopes: list[Scope] = [*teams, user]
    rows = [_newest(scope) for scope in scopes]
    if key:
        rows.append(_newest_of_key(user, key))
    layers = tuple(Layer(row.scope, row.version, row.body) for row in rows if row is not None)
    body, problems = schema.usable(schema.merged(*(layer.body for layer in layers)))
    for problem in problems:
        logger.warning("settings of an observer are not used", extra={"project": key, "reason": problem})
    return Effective(body, _digest([asdict(layer) for layer in layers]), layers)


def observers(user: User, project: Project | None) -> tuple[LocalConfig, ...]:
    """Return the observers that run on the server for `user` in `project`; invalid ones are logged and left out."""
    try:
        configs = schema.parse(effective(user, project.key if project else "").body)
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


def _newest_of_key(user: User, key: str) -> ObserverConfig | None:
    projects = visible_projects(user).filter(key=key)
    rows = ObserverConfig.objects.select_related("project", "made_by").filter(project__in=projects)
    return rows.order_by("-made_at", "-pk").first()


def _targets(scope: Scope, by: User) -> list[Scope]:
    """Return the rows that a change of `scope` is stored for, `scope` first; locked, which serialises versions."""
    if isinstance(scope, Project):
        projects = visible_projects(by).filter(key=scope.key).values("pk")
        rows = list(Project.objects.select_for_update().filter(pk__in=projects).order_by("pk"))
        return [scope, *(row for row in rows if row.pk != scope.pk)]
    scope._meta.model._default_manager.select_for_update().get(pk=scope.pk)
    return [scope]


def _newest(scope: Scope) -> ObserverConfig | None:
    rows = ObserverConfig.objects.select_related("user", "team", "made_by").filter(**_scope_fields(scope))
    return rows.order_by("-version").first()


def _store(scope: Scope, body: dict[str, Any], version: int, by: User) -> ObserverConfig:
    row = ObserverConfig(**_scope_fields(scope), body=body, version=version, made_by=by)
    row.full_clean()
    row.save()
    return row


def _scope_fields(scope: Scope) -> dict[str, Scope | None]:
    kinds: dict[str, type[Scope]] = {"user": User, "team": Team, "project": Project}
    return {name: scope if isinstance(scope, kind) else None for name, kind in kinds.items()}


def _digest(layers: list[dict[str, Any]]) -> str:
    return hashlib.sha256(json.dumps(layers, sort_keys=True).encode()).hexdigest()[:16]
