"""A server whose projects existed once per owner gets one project per team and key."""

from __future__ import annotations

import logging
from datetime import timedelta
from importlib import import_module

import pytest
from django.apps.registry import Apps
from django.db import connection
from django.db.models import BaseConstraint
from django.utils import timezone

from capture.deliveries import IncomingLearning
from capture.models import Learning, LearningIdentity
from capture.sink import store_by_hand
from ghap.intake import receive
from ghap.models import Clustering, Entry
from memoryserver.accounts.models import Membership, OwnedModel, Project, User
from memoryserver.hooks.models import HookSession
from memoryserver.vectors.models import Record
from tests.support.database.unsquashed import models_before
from tests.support.rows.factories import UserFactory
from tests.support.rows.ghap_entries import body
from tests.support.rows.sent_calls import call
from trajectory.intake import receive as receive_calls
from trajectory.models import ObserverConfig

NAME = "0007_one_project_per_team_and_key"
MIGRATION = import_module(f"memoryserver.accounts.migrations.{NAME}")
CONSTRAINTS = ("project_key_once_per_team", "project_team_or_owner")  # of the next migration
KEY = "github.com/crew/shop"
SAME = "The cache must be emptied before the import."


@pytest.fixture
def old(db: None) -> Apps:
    """The models of before, on a server that takes their rows."""
    without_constraints()
    return models_before("accounts", NAME)


def without_constraints() -> None:
    with connection.schema_editor() as editor:
        for constraint in constraints():
            editor.remove_constraint(Project, constraint)


def constraints() -> list[BaseConstraint]:
    return [constraint for constraint in Project._meta.constraints if constraint.name in CONSTRAINTS]


@pytest.fixture
def people(old: Apps) -> dict[str, User]:
    return {name: UserFactory(username=name) for name in ("alice", "bob", "charlie", "dora")}


@pytest.fixture
def teams(old: Apps, people: dict[str, User]) -> dict[str, int]:
    """The crew of all but Charlie, Charlie's own, and one that shares nothing; the primary keys."""
    keys = {}
    for name, members in (("crew", ("dora", "bob", "alice")), ("others", ("charlie",)), ("idle", ("bob", "alice"))):
        team = old.get_model("accounts", "Team").objects.create(name=name)
        for member in members:
            old.get_model("accounts", "Membership").objects.create(team=team, user_id=people[member].pk)
        keys[name] = team.pk
    return keys


@pytest.fixture
def shops(people: dict[str, User], teams: dict[str, int]) -> dict[str, Project]:
    """A project of one key for each person: Alice's and Bob's shared with the crew, Dora's private."""
    shared = {"alice": teams["crew"], "bob": teams["crew"], "charlie": teams["others"], "dora": None}
    shops = {name: Project.objects.create(owner=people[name], key=KEY, team_id=team) for name, team in shared.items()}
    for number, (name, shop) in enumerate(shops.items()):
        fill(people[name], shop, number)
    return shops


def fill(user: User, shop: Project, number: int) -> None:
    """Rows of every app, with the user as author, and a configuration that is newer with each `number`."""
    receive(
        user, shop, [body(id=f"ghap_20261120_15000{number}_aaaaaa"), body(id=f"ghap_20261120_15000{number}_bbbbbb")]
    )
    receive_calls(user, shop, f"s-{number}", "", [call(index) for index in range(1, 6)])
    HookSession.objects.create(user=user, project=shop, session_id=f"s-{number}")
    learn(user, shop, SAME)
    Clustering.objects.create(axis="full", user=None if shop.team_id else user, project=shop)
    config = ObserverConfig.objects.create(project=shop, version=1, body={"of": number})
    ObserverConfig.objects.filter(pk=config.pk).update(made_at=timezone.now() - timedelta(hours=9 - number))


def learn(user: User, project: Project, content: str) -> Learning:
    learning, _ = store_by_hand(user, project, IncomingLearning("gotcha", content, 1.0, 0))
    assert learning is not None
    return learning


def migrate(old: Apps) -> None:
    """Migrate the rows, and have the constraints of the next migration check them."""
    MIGRATION.merge_shared_projects(old, None)
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
    with connection.schema_editor() as editor:
        for constraint in constraints():
            editor.add_constraint(Project, constraint)


def counts() -> dict[str, dict[int | None, int]]:
    """How many rows each model has, by their author."""
    models = [model for model in OwnedModel.__subclasses__() if not model._meta.abstract]
    users = {model._meta.label: list(model._default_manager.values_list("user", flat=True)) for model in models}
    return {label: {user: found.count(user) for user in set(found)} for label, found in users.items()}


def owners_and_teams() -> set[tuple[int, str | None, str | None]]:
    return set(Project.objects.values_list("pk", "owner__username", "team__name"))


def test_projects_of_a_team_and_key_become_one_with_all_rows_and_their_authors_and_teams_get_leads(
    old: Apps, shops: dict[str, Project], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(MIGRATION, "BATCH", 2)
    before = counts()
    with caplog.at_level(logging.WARNING):
        migrate(old)

    of_crew = shops["alice"].pk
    assert owners_and_teams() == {
        (of_crew, None, "crew"),
        (shops["charlie"].pk, None, "others"),
        (shops["dora"].pk, "dora", None),
    }
    assert counts() == before
    for model in (Entry, HookSession, Learning, Record):
        projects = dict(model._default_manager.values_list("user__username", "project"))
        assert projects["alice"] == projects["bob"] == of_crew
        assert projects["dora"] == shops["dora"].pk
    assert list(ObserverConfig.objects.filter(project=of_crew).order_by("version").values_list("body", flat=True)) == [
        {"of": 0},
        {"of": 1},
    ]
    assert [row.message for row in caplog.records if row.name == MIGRATION.__name__] == [
        f"observers of project {KEY} ({of_crew}): version 3, the newest of two projects' configurations, is in effect"
    ]
    owners_of_shared_projects_and_oldest_members_lead()


def owners_of_shared_projects_and_oldest_members_lead() -> None:
    assert set(Membership.objects.values_list("team__name", "user__username", "role")) == {
        ("crew", "alice", "lead"),
        ("crew", "bob", "lead"),
        ("crew", "dora", "member"),
        ("others", "charlie", "lead"),
        ("idle", "bob", "lead"),
        ("idle", "alice", "member"),
    }


def test_migration_that_was_interrupted_goes_on_and_shows_a_wording_of_one_author_in_both_projects_once(
    old: Apps, people: dict[str, User], shops: dict[str, Project], monkeypatch: pytest.MonkeyPatch
) -> None:
    learn(people["alice"], shops["bob"], SAME)
    with monkeypatch.context() as patched:
        patched.setattr(MIGRATION, "_move_configs", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            migrate(old)
    migrate(old)
    assert Entry.objects.filter(project=shops["alice"]).count() == 4
    assert Project.objects.count() == 3

    of_alice = Learning.objects.filter(user=people["alice"])
    assert of_alice.values_list("merged_into", flat=True).order_by("pk")[1] == of_alice.earliest("pk").pk
    assert of_alice.filter(merged_into=None).get().seen_count == 2
    assert LearningIdentity.objects.filter(user=people["alice"]).count() == 1
    assert Record.objects.filter(collection="learnings", user=people["alice"]).count() == 1


def test_backwards_a_teams_project_gets_a_lead_and_forwards_again_the_team(
    old: Apps, shops: dict[str, Project]
) -> None:
    migrate(old)
    without_constraints()
    MIGRATION.give_to_members(old, None)
    assert Project.objects.values_list("owner__username", "team__name").get(pk=shops["alice"].pk) == ("bob", "crew")
    migrate(old)

    assert (shops["alice"].pk, None, "crew") in owners_and_teams()
