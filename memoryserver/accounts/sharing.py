"""Moving a project into a team, and merging it with the team's project of the same key."""

from __future__ import annotations

from django.core.exceptions import PermissionDenied
from django.db import transaction

from memoryserver.accounts import context_version, project_rows
from memoryserver.accounts.models import Project, Team, User
from memoryserver.accounts.signals import project_moved
from memoryserver.accounts.visibility import managed_projects, visible_teams


def counterpart(project: Project, team: Team) -> Project | None:
    """Return the project of `team` with the key of `project`, with which it would be merged; None if there is none."""
    return Project.objects.filter(team=team, key=project.key).exclude(pk=project.pk).first()


@transaction.atomic
def move(project: Project, team: Team, by: User) -> Project:
    """Give `project` to `team`, whose members then see its rows, and return the team's project of this key.

    If the team has one already, the two become one: all rows of `project` follow, with their authors, and `project` is
    deleted. Does nothing if it is the team's. Raises PermissionDenied unless `by` manages the project and is in the
    team; Project.DoesNotExist if it was merged meanwhile.
    """
    Team.objects.select_for_update().get(pk=team.pk)  # so that no second project of this key comes into it meanwhile
    project = Project.objects.select_for_update(of=("self",)).select_related("owner", "team").get(pk=project.pk)
    if not managed_projects(by).filter(pk=project.pk).exists():
        raise PermissionDenied("only the owner of a project, or a lead of its team, may move it into another team")
    if not visible_teams(by).filter(pk=team.pk).exists():
        raise PermissionDenied("you can move a project only into a team that you are in")
    if project.team_id == team.pk:
        return project
    origin = project.owner or project.team
    target = counterpart(project, team)
    merged = None if target is None else project.pk
    if target is None:
        advance(project, by)
        project.owner, project.team = None, team
        project.save(update_fields=["owner", "team"])
    else:
        merge(project, target, by)
    advance(target or project, by)
    project_moved.send(Project, project=target or project, origin=origin, by=by, merged=merged)
    return target or project


def merge(project: Project, target: Project, by: User) -> None:
    """Let all rows of `project` be those of `target`, and delete it. The caller checks rights, in a transaction."""
    Project.objects.select_for_update(of=("self",)).get(pk=target.pk)
    advance(project, by)
    project_rows.move(project, target)
    Project.objects.filter(pk=project.pk).delete()


def advance(project: Project, by: User) -> None:
    """Let the laptops of all who see `project` fetch its context again."""
    context_version.advance(project.owner or by, project)
