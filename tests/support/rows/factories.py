"""Rows for tests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from factory.declarations import Sequence as Numbered
from factory.declarations import SubFactory
from factory.django import DjangoModelFactory

from memoryserver.accounts.models import Membership, Project, Team, User


class _Users(DjangoModelFactory[User]):
    class Meta:
        model = User

    username = Numbered(lambda number: f"user{number}")


class _Teams(DjangoModelFactory[Team]):
    class Meta:
        model = Team

    name = Numbered(lambda number: f"team{number}")


class _Projects(DjangoModelFactory[Project]):
    class Meta:
        model = Project

    owner = SubFactory(_Users)
    key = Numbered(lambda number: f"github.com/someone/project{number}")


# Functions, since a factory's class does not say what calling it gives.


def UserFactory(**fields: Any) -> User:
    """A user, named by number unless told otherwise."""
    user: User = _Users.create(**fields)
    return user


def TeamFactory(people: Sequence[User] = (), **fields: Any) -> Team:
    """A team of `people`, led by the first of them."""
    team: Team = _Teams.create(**fields)
    for number, user in enumerate(people):
        role = Membership.Role.MEMBER if number else Membership.Role.LEAD
        Membership.objects.create(team=team, user=user, role=role)
    return team


def ProjectFactory(**fields: Any) -> Project:
    """A project, private to its owner unless given a team."""
    if fields.get("team"):
        fields.setdefault("owner", None)
    project: Project = _Projects.create(**fields)
    return project
