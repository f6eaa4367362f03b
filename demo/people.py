"""The people of the demo, their team and its projects."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from demo.stories import ETL, FRONT, SHOP
from memoryserver.accounts.models import Membership, Project, Team, User

TEAM = "Platform"
NAMES = ("alice", "bob", "carol", "dan")
LEAD = "alice"
PROJECTS = (SHOP, ETL, FRONT)


@dataclass(frozen=True)
class DemoTeam:
    """The team of four: users by name, and projects by key."""

    users: Mapping[str, User]
    projects: Mapping[str, Project]


def create(password: str) -> DemoTeam:
    """Create the users, all with `password`, their team, and the projects that they share."""
    users = {
        name: User.objects.create_user(name, f"{name}@acme.example", password, first_name=name.capitalize())
        for name in NAMES
    }
    team = Team.objects.create(name=TEAM)
    for user in users.values():
        role = Membership.Role.LEAD if user.get_username() == LEAD else Membership.Role.MEMBER
        Membership.objects.create(team=team, user=user, role=role)
    return DemoTeam(users, {key: Project.objects.create(key=key, team=team) for key in PROJECTS})
