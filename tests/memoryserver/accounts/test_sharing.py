"""A project moves into a team, or is merged with the team's: nothing is lost, doubled or shown to the wrong people."""

from __future__ import annotations

import pytest
from django.core.exceptions import PermissionDenied

from capture import curation, sink
from capture.deliveries import IncomingLearning
from capture.models import Learning, LearningIdentity
from ghap.intake import receive
from ghap.models import Entry
from memoryserver.accounts import projects, sharing
from memoryserver.accounts.models import OwnedModel, Project, Team, User
from memoryserver.accounts.signals import project_moved
from memoryserver.accounts.visibility import visible_rows
from memoryserver.hooks.models import HookSession
from memoryserver.search.scope import Search
from memoryserver.search.service import search
from memoryserver.vectors.models import Record
from tests.support.rows.factories import ProjectFactory, TeamFactory
from tests.support.rows.ghap_entries import body
from tests.support.rows.sent_calls import call
from trajectory import configs
from trajectory.intake import receive as receive_calls
from trajectory.models import ObserverConfig, Trajectory

ID_OF_ALICE, ID_OF_BOB = "ghap_20261120_150000_aaaaaa", "ghap_20261120_150000_bbbbbb"


@pytest.fixture
def crew(alice: User, bob: User) -> Team:
    """The team that Alice leads and Bob is in."""
    return alice.teams.get()


@pytest.fixture
def own(bob: User, shared_project: Project) -> Project:
    """Bob's private project of the key of the team's, with rows of every app."""
    own = ProjectFactory(owner=bob, key=shared_project.key)
    receive(bob, own, [body(id=ID_OF_BOB)])
    learn(bob, own, "The cache must be emptied before the import.")
    receive_calls(bob, own, "s-1", "", [call(1), call(2)])
    HookSession.objects.create(user=bob, project=own, session_id="s-1")
    configs.change(own, only("poll"), bob)
    return own


def only(kind: str) -> dict[str, object]:
    return {"observers": {kind: {"enabled": False}}}


def learn(user: User, project: Project | None, content: str) -> Learning:
    learning, _ = sink.store_by_hand(user, project, IncomingLearning("gotcha", content, 1.0, 0))
    assert learning is not None
    return learning


def owned_rows(project: Project) -> dict[str, list[int]]:
    """The authors of the rows of `project`, by the label of their model."""
    models = [model for model in OwnedModel.__subclasses__() if not model._meta.abstract]
    rows = {
        model._meta.label: model._default_manager.filter(project=project)
        .order_by("user")
        .values_list("user", flat=True)
        for model in models
    }
    return {label: list(users) for label, users in rows.items() if users}


def test_moved_project_keeps_its_rows_and_the_team_sees_them(alice: User, bob: User, charlie: User) -> None:
    team = TeamFactory(people=[alice, bob])
    project = ProjectFactory(owner=bob, key="github.com/crew/blog")
    receive(bob, project, [body(id=ID_OF_BOB)])

    assert sharing.move(project, team, bob) == project
    project.refresh_from_db()
    assert (project.owner, project.team) == (None, team)
    assert [visible_rows(Entry.objects.all(), user).count() for user in (alice, bob, charlie)] == [1, 1, 0]
    assert projects.project_for(alice, project.key) == project


def test_merged_project_gives_all_its_rows_to_the_teams_with_their_authors(
    alice: User, bob: User, crew: Team, shared_project: Project, own: Project
) -> None:
    receive(alice, shared_project, [body(id=ID_OF_ALICE)])
    before = owned_rows(own)

    assert sharing.move(own, crew, bob) == shared_project
    assert list(Project.objects.values_list("pk", flat=True)) == [shared_project.pk]
    assert set(before) == {
        "capture.Learning",
        "ghap.Entry",
        "hooks.HookSession",
        "trajectory.ToolCall",
        "trajectory.Trajectory",
        "vectors.Record",
    }
    after = owned_rows(shared_project)
    assert {label: users.count(bob.pk) for label, users in after.items()} == {
        label: len(users) for label, users in before.items()
    }
    assert dict(Entry.objects.values_list("ghap_id", "user")) == {ID_OF_ALICE: alice.pk, ID_OF_BOB: bob.pk}
    assert Trajectory.objects.get().project == shared_project


def test_merged_rows_are_found_by_mates_and_not_by_strangers(
    alice: User, bob: User, charlie: User, crew: Team, own: Project
) -> None:
    sharing.move(own, crew, bob)

    found = [
        search(user, Search("cache emptied import", mode="lexical", source="learnings")).hits
        for user in (alice, bob, charlie)
    ]
    assert [len(hits) for hits in found] == [1, 1, 0]


def test_next_delivery_after_the_merge_goes_to_the_teams_project(
    bob: User, crew: Team, shared_project: Project, own: Project
) -> None:
    sharing.move(own, crew, bob)

    project = projects.project_for(bob, shared_project.key)
    assert project == shared_project
    receive(bob, project, [body(id=ID_OF_BOB)])
    assert (Entry.objects.get().project, Entry.objects.count()) == (shared_project, 1)


def test_newest_configuration_of_the_two_is_in_effect_and_the_others_are_earlier_versions(
    alice: User, bob: User, crew: Team, shared_project: Project, own: Project
) -> None:
    configs.change(shared_project, only("cycle"), alice)
    configs.change(own, only("pace"), bob)
    sharing.move(own, crew, bob)

    rows = ObserverConfig.objects.order_by("version").values_list("project", "body")
    assert list(rows) == [(shared_project.pk, only(kind)) for kind in ("poll", "cycle", "pace")]
    assert [configs.effective(user, shared_project.key).body for user in (alice, bob)] == [only("pace")] * 2


def test_same_wording_of_one_author_in_both_projects_is_shown_once(
    bob: User, crew: Team, shared_project: Project, own: Project
) -> None:
    kept = Learning.objects.get()
    learn(bob, shared_project, kept.content)
    sharing.move(own, crew, bob)

    shown = Learning.objects.filter(merged_into=None)
    assert (list(shown), Learning.objects.count()) == ([kept], 2)
    assert LearningIdentity.objects.filter(project=shared_project).count() == 1
    assert Record.objects.filter(collection="learnings").count() == 1


@pytest.mark.parametrize("deleted_in", ["team", "own"])
def test_wording_that_was_deleted_in_one_project_stays_where_it_is_shown(
    bob: User, crew: Team, shared_project: Project, own: Project, deleted_in: str
) -> None:
    in_own = Learning.objects.get()
    in_team = learn(bob, shared_project, in_own.content)
    kept, deleted = (in_own, in_team) if deleted_in == "team" else (in_team, in_own)
    curation.delete(bob, deleted.pk)
    sharing.move(own, crew, bob)

    assert Learning.objects.get() == kept
    assert LearningIdentity.objects.get().learning == kept


def test_same_wording_of_two_authors_stays_with_each(
    alice: User, bob: User, crew: Team, shared_project: Project, own: Project
) -> None:
    learn(alice, shared_project, "The cache must be emptied before the import.")
    sharing.move(own, crew, bob)

    assert set(Learning.objects.values_list("user", "project")) == {
        (user.pk, shared_project.pk) for user in (alice, bob)
    }
    assert LearningIdentity.objects.count() == 2


def test_moving_again_does_nothing(bob: User, crew: Team, shared_project: Project, own: Project) -> None:
    for _ in range(2):
        assert sharing.move(shared_project, crew, User.objects.get(username="alice")) == shared_project
    sharing.move(own, crew, bob)
    with pytest.raises(Project.DoesNotExist):
        sharing.move(own, crew, bob)


def test_merge_that_fails_changes_nothing(
    bob: User, crew: Team, own: Project, shared_project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = owned_rows(own)
    monkeypatch.setattr(project_moved, "send", lambda *_, **__: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        sharing.move(own, crew, bob)

    assert owned_rows(own) == before
    assert owned_rows(shared_project) == {}


def test_only_who_manages_a_project_moves_it_and_only_into_a_team_of_theirs(
    alice: User, bob: User, charlie: User, crew: Team, shared_project: Project, own: Project
) -> None:
    others = TeamFactory(people=[charlie])
    both = TeamFactory(people=[charlie, bob, alice])
    for project, team, by in [
        (own, crew, alice),  # another's private project
        (own, others, bob),  # a team that he is not in
        (shared_project, both, bob),  # of a team that he does not lead
        (shared_project, others, charlie),
    ]:
        with pytest.raises(PermissionDenied):
            sharing.move(project, team, by)
    assert sharing.move(shared_project, both, alice).team == both


def test_move_gives_the_people_concerned_new_contexts(alice: User, bob: User, charlie: User, crew: Team) -> None:
    project = ProjectFactory(owner=bob)
    sharing.move(project, crew, bob)

    versions = [User.objects.get(pk=user.pk).context_version for user in (alice, bob, charlie)]
    assert [version > 0 for version in versions] == [True, True, False]


def test_counterpart_is_the_teams_project_of_the_same_key(crew: Team, shared_project: Project, own: Project) -> None:
    assert sharing.counterpart(own, crew) == shared_project
    assert sharing.counterpart(shared_project, crew) is None
