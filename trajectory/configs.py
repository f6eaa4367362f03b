"""Versions of observer configurations, and the effective one for a user and project."""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.db import connection, transaction
from django.utils.module_loading import import_string

from memoryserver.accounts.models import Project, Team, User
from memoryserver.accounts.projects import known_project, stored_key
from memoryserver.accounts.visibility import led_teams, managed_projects
from memoryserver.statements.cache import Cache
from memoryserver.statements.guard import Guard
from obslog.emit import emit
from trajectory.local.config import resolve, schema
from trajectory.local.engine.triggers import ObserverConfig as LocalConfig
from trajectory.models import ObserverConfig

logger = logging.getLogger(__name__)

Scope = User | Team | Project
_NEWEST = """
    SELECT id FROM (
        SELECT DISTINCT ON (config.user_id, config.team_id, config.project_id) config.*, team.name AS team_name
        FROM trajectory_observerconfig config LEFT JOIN accounts_team team ON team.id = config.team_id
        WHERE config.user_id = %(config_user)s OR config.project_id = %(config_project)s
            OR config.team_id = %(config_team)s OR (%(config_team)s::bigint IS NULL AND config.team_id IN (
                SELECT team_id FROM accounts_membership WHERE user_id = %(config_user)s))
        ORDER BY config.user_id, config.team_id, config.project_id, config.version DESC
    ) AS newest
    ORDER BY project_id IS NOT NULL, user_id IS NOT NULL, team_name
"""
_UNCHANGED = f"""
    (SELECT team_id FROM accounts_project WHERE id = %(config_project)s) IS NOT DISTINCT FROM %(config_team)s
    AND ARRAY({_NEWEST}) = %(config_keys)s::bigint[]
"""  # noqa: S608  (a constant of this module)
_read: Cache[tuple[int | None, ...], tuple[int, ...]] = Cache(size=1000)
_parsed: Cache[tuple[int, ...], tuple[LocalConfig, ...]] = Cache(size=200)


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


def current(scope: Scope) -> ObserverConfig | None:
    """Return the newest version of the configuration for `scope`, None if there is none."""
    rows = ObserverConfig.objects.select_related("user", "team", "project", "made_by").filter(**_scope_fields(scope))
    return rows.order_by("-version").first()


def change(scope: Scope, body: dict[str, Any], by: User) -> ObserverConfig:
    """Store `body` as the next version for `scope`; return the newest version if nothing changes.

    Raises ValidationError for an invalid configuration, PermissionDenied if `by` may not change `scope`.
    """
    if not may_change(by, scope):
        raise PermissionDenied("only a lead may change the observers of a team or of its projects")
    with transaction.atomic():
        scope._meta.model._default_manager.select_for_update(of=("self",)).get(pk=scope.pk)  # serialises versions
        newest = current(scope)
        if newest is not None and newest.body == body:
            return newest
        return _store(scope, body, newest.version + 1 if newest else 1, by)


def merge(source: Project, target: Project) -> None:
    """Give the versions of `source` to `target`, with which it is merged: those of both, numbered by their time.

    The newest one is in effect, also where it was that of `source`.
    """
    rows = list(ObserverConfig.objects.filter(project__in=[source, target]).order_by("made_at", "pk"))
    if any(row.project_id == source.pk for row in rows):
        first = max(row.version for row in rows) + 1  # numbers in use are avoided
        for version, row in enumerate(rows, first):
            ObserverConfig.objects.filter(pk=row.pk).update(project=target, version=version)


def record(row: ObserverConfig) -> None:
    """Record in the log that the configuration `row` is new; leads find it by the scope id of their team."""
    scopes = {"user": row.user_id, "team": row.team_id or (row.project and row.project.team_id)}
    scopes["project"] = row.project_id
    emit(
        row.made_by,
        type="observers.changed",
        source="system:trajectory",
        message=f"version {row.version} of an observer configuration",
        data={"version": row.version, "configuration": row.pk, "by": row.made_by_id},
        scope_ids=[f"{kind}:{key}" for kind, key in scopes.items() if key],
    )


def may_change(user: User, scope: Scope) -> bool:
    """Return whether `user` may change `scope`: themself, a team they lead, or a project they manage."""
    if isinstance(scope, User):
        return scope.pk == user.pk
    if isinstance(scope, Team):
        return led_teams(user).filter(pk=scope.pk).exists()
    return managed_projects(user).filter(pk=scope.pk).exists()


def reach(scope: Scope) -> str:
    """Return whose calls a configuration of `scope` is in effect for, as the end of a sentence."""
    if isinstance(scope, User):
        return "all your calls, as far as no project's configuration differs"
    if isinstance(scope, Team):
        return f"the projects of team {scope.name} and its members, as far as theirs do not differ"
    return f"all of team {scope.team.name}, in {scope.key}" if scope.team else f"you alone, in {scope.key}"


def effective(user: User, key: str) -> Effective:
    """Return the configuration for calls of `user` in the project named `key`, "" for none."""
    return effective_in(user, known_project(user, stored_key(key)))


def effective_in(user: User, project: Project | None) -> Effective:
    """Return the configuration for calls of `user` in `project`; None for calls in an unknown project or none.

    That is the team's one, overridden by the user's, overridden by the project's. An observer whose settings cannot be
    used together has its default ones, and the reason is logged. The team is the project's. If it has none, it is all
    of the user's teams, in the order of their names.
    """
    keys = _in_effect(user, project)
    rows = ObserverConfig.objects.select_related("user", "team", "project").in_bulk(keys)
    layers = tuple(Layer(rows[key].scope, rows[key].version, rows[key].body) for key in keys if key in rows)
    body = _combined([layer.body for layer in layers])
    return Effective(body, _digest([asdict(layer) for layer in layers]), layers)


def body_with(user: User, project: Project | None, scope: Scope, body: Mapping[str, Any]) -> dict[str, Any]:
    """Return the configuration for calls of `user` in `project` if `body` were that of `scope`."""
    layers = []
    for layer in _scopes(user, project):
        row = None if layer == scope else current(layer)
        layers.append(body if layer == scope else row.body if row else {})
    return schema.merged(*layers)


def observers(user: User, project: Project | None) -> tuple[LocalConfig, ...]:
    """Return the observers that run on the server for `user` in `project`; invalid ones are logged and left out."""
    return _observers_of(_in_effect(user, project)) + custom()


def observers_as_read(user: User, project: Project | None) -> tuple[tuple[LocalConfig, ...], Guard | None]:
    """Return `observers` as this process last read which ones they are, and the guard that they are still the same.

    No guard if they are read now.
    """
    parameters = _parameters(user, project)
    keys = _read.get(tuple(parameters.values()))
    if keys is None:
        return observers(user, project), None
    guard = Guard(_UNCHANGED, {**parameters, "config_keys": "{" + ",".join(map(str, keys)) + "}"})
    return _observers_of(keys) + custom(), guard


def _observers_of(versions: tuple[int, ...]) -> tuple[LocalConfig, ...]:
    """Return the observers of these versions, by their keys in the order of `_in_effect`; a version never changes."""
    parsed = _parsed.get(versions)
    if parsed is None:
        parsed = _parse(versions)
        _parsed.put(versions, parsed)
    return parsed


def _parse(versions: tuple[int, ...]) -> tuple[LocalConfig, ...]:
    rows = ObserverConfig.objects.in_bulk(versions)
    try:
        return schema.parse(_combined([rows[key].body for key in versions if key in rows]))
    except schema.ConfigurationError:  # written for an older set of observers
        logger.exception("a stored configuration is invalid; the default observers run")
        return schema.parse({})


def _in_effect(user: User, project: Project | None) -> tuple[int, ...]:
    """Return the keys of the newest version of each scope that calls are in, each before those that override it."""
    parameters = _parameters(user, project)
    with connection.cursor() as cursor:
        cursor.execute(_NEWEST, parameters)
        keys = tuple(key for (key,) in cursor.fetchall())
    _read.put(tuple(parameters.values()), keys)
    return keys


def _parameters(user: User, project: Project | None) -> dict[str, Any]:
    project_key, team_key = (project.pk, project.team_id) if project else (None, None)
    return {"config_user": user.pk, "config_project": project_key, "config_team": team_key}


def _combined(bodies: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the configuration of these layers; an observer whose settings cannot be used together has its defaults."""
    body, problems = schema.usable(schema.merged(*bodies))
    for problem in problems:
        logger.warning("settings of an observer are not used", extra={"reason": problem})
    return body


def custom() -> tuple[LocalConfig, ...]:
    """Return the observers named by dotted paths in the settings."""
    configs = []
    for path in settings.MEMORYSERVER_TRAJECTORY_OBSERVERS:
        try:
            configs.append(resolve.config_of(import_string(path)))
        except Exception:
            logger.exception("observer is left out", extra={"observer": path})
    return tuple(configs)


def _scopes(user: User, project: Project | None) -> list[Scope]:
    """Return the scopes whose configurations are in effect for `user` in `project`, the most general first."""
    teams = [project.team] if project and project.team else list(user.teams.all())
    return [*teams, user, *([project] if project else [])]


def _store(scope: Scope, body: dict[str, Any], version: int, by: User) -> ObserverConfig:
    row = ObserverConfig(**_scope_fields(scope), body=body, version=version, made_by=by)
    row.full_clean()
    row.save()
    record(row)
    return row


def _scope_fields(scope: Scope) -> dict[str, Scope | None]:
    kinds: dict[str, type[Scope]] = {"user": User, "team": Team, "project": Project}
    return {name: scope if isinstance(scope, kind) else None for name, kind in kinds.items()}


def _digest(layers: list[dict[str, Any]]) -> str:
    return hashlib.sha256(json.dumps(layers, sort_keys=True).encode()).hexdigest()[:16]
