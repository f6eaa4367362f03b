"""Pages of a user's teams and projects.

Every form is a plain one that redirects to the page, so that going back shows no form again; what cannot be undone has
a page that says what happens.
"""

from __future__ import annotations

from collections.abc import Callable

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from memoryserver.accounts import memberships, sharing
from memoryserver.accounts.auth import SignedInRequest
from memoryserver.accounts.memberships import MembershipError
from memoryserver.accounts.models import Membership, Team, User
from memoryserver.accounts.teams import overview
from memoryserver.accounts.visibility import led_teams, managed_projects, visible_teams
from memoryserver.common.text import clean

_MAX_NAME = 150


@require_GET
def teams_page(request: SignedInRequest) -> HttpResponse:
    """Render the user's teams with members and projects, and their private projects."""
    user = request.user
    context = {
        "teams": overview.teams_of(user),
        "private": overview.private_projects(user),
        "roles": Membership.Role.choices,
    }
    return render(request, "accounts/teams.html", context)


@require_POST
def member_add(request: SignedInRequest, key: int) -> HttpResponse:
    """Add the user with the posted name to the team, as a lead may; 404 for everybody else."""
    team = get_object_or_404(led_teams(request.user), pk=key)
    name = clean(request.POST.get("username", ""))[:_MAX_NAME].strip()
    user = User.objects.filter(username=name, is_active=True).first()
    if user is None:
        messages.error(request, f"There is no user {name!r} on this server.")
        return redirect("teams")
    return _changed(request, lambda by: memberships.add(team, user, by), f"{name} is in team {team} now.")


@require_POST
def member_change(request: SignedInRequest, key: int, user: int) -> HttpResponse:
    """Give a member the posted role, or remove them for the role `none`; 404 for who is not in the team."""
    team = _team(request, key)
    member = get_object_or_404(team.members, pk=user)
    role = request.POST.get("role", "")
    if role == "none":
        return _changed(
            request, lambda by: memberships.remove(team, member, by), f"{member} is not in team {team} any more."
        )
    if role not in Membership.Role.values:
        raise Http404("role not found")
    return _changed(
        request, lambda by: memberships.set_role(team, member, role, by), f"{member} is a {role} of team {team} now."
    )


@require_http_methods(["GET", "POST"])
def project_move(request: SignedInRequest, key: int, team: int) -> HttpResponse:
    """Show what moving the project into the team means; a POST moves it. 404 unless the user may."""
    target = _team(request, team)
    project = get_object_or_404(managed_projects(request.user).select_related("team", "owner"), pk=key)
    if project.team_id == target.pk:
        raise Http404("the project is in this team")
    counterpart = sharing.counterpart(project, target)
    if request.method == "GET":
        context = {"project": project, "team": target, "counterpart": counterpart}
        return render(request, "accounts/move.html", context)
    done = f"{project} is {'merged with the project' if counterpart else 'a project'} of team {target} now."
    return _changed(request, lambda by: sharing.move(project, target, by), done)


def _changed(request: SignedInRequest, change: Callable[[User], object], done: str) -> HttpResponse:
    """Make the change as the user, and return to the page with what was done or why it was not."""
    try:
        change(request.user)
    except MembershipError as error:
        messages.error(request, f"{error}.")
    except PermissionDenied as error:
        raise Http404(str(error)) from error
    else:
        messages.success(request, done)
    return redirect("teams")


def _team(request: SignedInRequest, key: int) -> Team:
    return get_object_or_404(visible_teams(request.user), pk=key)
