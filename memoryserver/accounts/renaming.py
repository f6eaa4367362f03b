"""Renaming a project when its remote or its folder was renamed, so that its memory goes on under the new key."""

from __future__ import annotations

from django.core.exceptions import PermissionDenied
from django.db import IntegrityError, transaction

from memoryserver.accounts import sharing
from memoryserver.accounts.models import Project, ProjectAlias, Team, User
from memoryserver.accounts.projects import known_project, stored_key
from memoryserver.accounts.signals import project_renamed
from memoryserver.accounts.visibility import managed_projects, visible_projects
from memoryserver.errors import InvalidInputError


class WouldShareError(Exception):
    """What is in a private project would be seen by a team, and nobody has said that it may be."""


@transaction.atomic
def rename(old: str, new: str, by: User, *, share: bool = False) -> Project:
    """Give the project that the key `old` means for `by` the key `new`, and return it. Does nothing if it has it.

    If its owner or team has a project of the new key already, the two become one; laptops that send the old address of
    a remote go on to mean it. Agents of `by` may have made a private project of the new key while the team's had the
    old one, or have worked in a private one before the team had one: with `share`, which the rename needs then, it
    becomes part of the team's.

    Raises Project.DoesNotExist if `by` sees no project `old`, PermissionDenied unless they own it or lead its team,
    WouldShareError, InvalidInputError for an empty or an unchanged key.
    """
    key = stored_key(new)
    if not key:
        raise InvalidInputError("new_key: the project's new key is empty")
    if key == stored_key(old):
        raise InvalidInputError("new_key: it is the key that the project has")
    project = known_project(by, stored_key(old))
    if project is None:
        raise Project.DoesNotExist(f"you see no project {stored_key(old)!r}")
    private, team = _to_share(project, key, by)
    if private is not None and team is not None and not share:
        raise WouldShareError(
            f"the members of team {team} would see what is in your private project {private}; "
            "memory projects rename --share does it"
        )
    renamed = _renamed(project, key, by)
    if private is None or team is None:
        return renamed
    return sharing.move(Project.objects.get(owner=by, key=key), team, by)


def follow(source: Project, target: Project) -> None:
    """Let the earlier keys of `source`, which is merged into `target`, lead to that."""
    aliases = ProjectAlias.objects.filter(project=source)
    aliases.filter(key__in=target.aliases.values("key")).delete()
    aliases.update(project=target)


def _to_share(project: Project, key: str, by: User) -> tuple[Project | None, Team | None]:
    """Return the private project that is to become part of a team's, and that team; None for what there is not."""
    own = Project.objects.filter(owner=by, key=key).first()
    if project.team is not None:
        return own, project.team
    shared = visible_projects(by).select_related("team").filter(key=key, owner=None).order_by("pk").first()
    return (project, shared.team) if own is None and shared is not None else (None, None)


def _renamed(project: Project, key: str, by: User) -> Project:
    """Return the project of the same owner or team that has `key` after it: this one, or the one it is merged with."""
    if project.key == key:  # it was renamed before
        return project
    if project.team is not None:
        Team.objects.select_for_update().get(pk=project.team.pk)
    project = Project.objects.select_for_update(of=("self",)).select_related("owner", "team").get(pk=project.pk)
    if not managed_projects(by).filter(pk=project.pk).exists():
        raise PermissionDenied(f"only a lead of team {project.team} may rename its project {project}")
    old, merged = project.key, None
    if old == key:
        return project
    same_place = Project.objects.filter(owner=project.owner, team=project.team, key=key)
    if not same_place.exists():
        try:
            with transaction.atomic():
                Project.objects.filter(pk=project.pk).update(key=key)
        except IntegrityError:  # a delivery made one meanwhile
            pass
    target = same_place.get()
    sharing.advance(project, by)
    if target.pk != project.pk:
        merged = project.pk
        sharing.merge(project, target, by)
    _keep_alias(target, old)
    project_renamed.send(Project, project=target, old=old, by=by, merged=merged)
    return target


def _keep_alias(project: Project, old: str) -> None:
    """Let the address `old` lead to `project`, among those of its owner or team, and no alias hide its key.

    A folder's name is none: the next folder of that name, on any laptop of a team, is most likely another project.
    """
    same_place = ProjectAlias.objects.filter(project__owner=project.owner, project__team=project.team)
    same_place.filter(key__in=(old, project.key)).delete()
    if "/" in old:
        ProjectAlias.objects.create(project=project, key=old)
