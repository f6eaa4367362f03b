"""The teams and projects of one user, as the page and the API show them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db.models import Prefetch

from memoryserver import keyset
from memoryserver.accounts.models import Membership, Project, Team, User
from memoryserver.accounts.visibility import visible_projects, visible_teams

MAX_PROJECTS = 200


@dataclass(frozen=True)
class TeamView:
    """A team with its members and projects, as `role`, the viewer's, may see and change them."""

    team: Team
    role: str
    members: Sequence[Membership]
    projects: Sequence[Project]

    @property
    def is_led(self) -> bool:
        """Whether the viewer leads the team."""
        return self.role == Membership.Role.LEAD


@dataclass(frozen=True)
class ProjectView:
    """A project that a user sees: the name of its team, and the user's role there; "" and `owner` without a team."""

    key: str
    team: str
    role: str


@dataclass(frozen=True)
class ProjectsPage:
    """Projects by their keys; `next_cursor` is None at the end."""

    projects: Sequence[ProjectView]
    next_cursor: str | None


def teams_of(user: User) -> Sequence[TeamView]:
    """Return the teams of `user` by name, each with its members (leads first) and its projects."""
    members = Membership.objects.select_related("user").order_by("role", "user__username")
    teams = visible_teams(user).order_by("name").prefetch_related(Prefetch("membership_set", members), "projects")
    return [
        TeamView(team, _role(team, user), list(team.membership_set.all()), list(team.projects.all())) for team in teams
    ]


def private_projects(user: User) -> Sequence[Project]:
    """Return the private projects of `user` by key."""
    return list(visible_projects(user).filter(owner=user).order_by("key"))


def projects_of(user: User, *, limit: int = MAX_PROJECTS, cursor: str = "") -> ProjectsPage:
    """Return at most `limit` projects that `user` sees, after `cursor`. Raises InvalidCursorError."""
    projects = visible_projects(user).select_related("team")
    page = keyset.page_of(projects, ("key", "pk"), limit=limit, cursor=cursor)
    roles = _roles(user)
    return ProjectsPage([_view(project, roles) for project in page.rows], page.next_cursor)


def view_of(user: User, project: Project) -> ProjectView:
    """Return `project` as `user`, who sees it, does."""
    return _view(project, _roles(user))


def _roles(user: User) -> Mapping[int, str]:
    return dict(Membership.objects.filter(user=user).values_list("team", "role"))


def _view(project: Project, roles: Mapping[int, str]) -> ProjectView:
    if project.team is None:
        return ProjectView(project.key, "", "owner")
    return ProjectView(project.key, project.team.name, roles[project.team.pk])


def _role(team: Team, user: User) -> str:
    return next(membership.role for membership in team.membership_set.all() if membership.user_id == user.pk)
