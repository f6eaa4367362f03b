from __future__ import annotations

import pytest
from django.core.exceptions import PermissionDenied, ValidationError

from memoryserver.accounts.models import Project, User
from memoryserver.statements import rows
from memoryserver.statements.guard import Guard
from tests.support.rows.factories import TeamFactory
from trajectory import configs
from trajectory.models import ObserverConfig


def only(kind: str, **part: object) -> dict[str, object]:
    return {"observers": {kind: part}}


def test_each_change_is_a_version_and_the_earlier_ones_stay(alice: User) -> None:
    first, second = only("poll", enabled=False), only("poll", enabled=True)
    for body in (first, second, second):
        configs.change(alice, body, alice)

    versions = ObserverConfig.objects.order_by("version").values_list("version", "body", "made_by")
    assert list(versions) == [(1, first, alice.pk), (2, second, alice.pk)]
    assert configs.effective(alice, "").body == second


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (only("nobody"), "there is no observer 'nobody'"),
        (only("repeat_call", settings={"repetition_threshold": 0}), "must be a number above 0, not 0"),
        (only("repeat_call", settings={"repetition_threshold": -3}), "must be a number above 0, not -3"),
        (only("repeat_call", settings={"colour": 3}), "there is no setting 'colour'"),
        (only("repeat_call", trigger={"every_n_calls": 0}), "every_n_calls must be a whole number of at least 1"),
        (only("repeat_call", trigger={"when": 1}), "trigger must be an object with keys out of"),
        (only("repeat_call", tell="yes"), "enabled and tell must be true or false"),
        ({"observers": []}, "observers must be an object"),
        ([], 'a configuration is an object with the key "observers" alone'),
    ],
)
def test_configuration_that_cannot_be_used_is_refused_with_the_reason(alice: User, body: object, said: str) -> None:
    with pytest.raises(ValidationError, match="body") as caught:
        configs.change(alice, body, alice)  # type: ignore[arg-type]
    assert said in str(caught.value)
    assert ObserverConfig.objects.count() == 0


def test_most_specific_wins_observer_by_observer(alice: User, shared_project: Project) -> None:
    team = alice.teams.get()
    configs.change(team, {"observers": {"poll": {"enabled": False}, "cycle": {"tell": False}}}, alice)
    configs.change(alice, {"observers": {"cycle": {"tell": True}, "pace": {"settings": {"calls": 50}}}}, alice)
    configs.change(shared_project, {"observers": {"pace": {"settings": {"calls": 90, "seconds": 60}}}}, alice)

    assert configs.effective(alice, shared_project.key).body == {
        "observers": {
            "poll": {"enabled": False},
            "cycle": {"tell": True},
            "pace": {"settings": {"calls": 90, "seconds": 60}},
        }
    }


def test_version_of_what_holds_changes_with_it_and_differs_by_place(alice: User, shared_project: Project) -> None:
    before = configs.effective(alice, shared_project.key).version
    configs.change(shared_project, only("poll", enabled=False), alice)

    assert configs.effective(alice, "").version == before
    assert configs.effective(alice, shared_project.key).version != before


def test_lead_changes_team_and_project_and_others_only_themselves(
    alice: User, bob: User, charlie: User, shared_project: Project
) -> None:
    team = alice.teams.get()
    assert [configs.may_change(user, team) for user in (alice, bob, charlie)] == [True, False, False]
    assert [configs.may_change(user, shared_project) for user in (alice, bob, charlie)] == [True, False, False]
    assert [configs.may_change(user, alice) for user in (alice, bob, charlie)] == [True, False, False]
    for user in (bob, charlie):
        with pytest.raises(PermissionDenied):
            configs.change(shared_project, {}, user)


def test_settings_of_two_layers_that_do_not_go_together_leave_the_default_and_the_rest(
    alice: User, shared_project: Project
) -> None:
    configs.change(alice, {"observers": {"repeat_call": {"settings": {"window_size": 5}}}}, alice)
    threshold = {"settings": {"repetition_threshold": 8}, "tell": False}
    configs.change(shared_project, {"observers": {"repeat_call": threshold, "poll": {"enabled": False}}}, alice)

    assert configs.effective(alice, shared_project.key).body == {
        "observers": {"repeat_call": {"tell": False}, "poll": {"enabled": False}}
    }


def test_observers_are_those_of_the_configuration(alice: User) -> None:
    configs.change(alice, only("repeat_call", enabled=False), alice)

    assert "Repeated Call" not in [config.name for config in configs.observers(alice, None)]


def _holds(guard: Guard | None) -> bool:
    assert guard is not None
    return rows.first(f"SELECT 1 WHERE {guard.condition}", guard.parameters) is not None


def _join_a_team(user: User) -> None:
    team = TeamFactory([user])
    ObserverConfig.objects.create(team=team, body=only("poll", enabled=False), version=1, made_by=user)


def _change(what: str, user: User, project: Project) -> None:
    scopes = {"the user's": user, "the project's": project, "the team's": project.team}
    if scope := scopes.get(what):
        configs.change(scope, only("poll", enabled=False), user)
    elif what == "another team's":
        _join_a_team(user)
    elif what == "the team of the project":
        Project.objects.filter(pk=project.pk).update(team=None, owner=user)


@pytest.mark.parametrize(
    ("what", "holds"),
    [
        ("nothing", True),
        ("the user's", False),
        ("the project's", False),
        ("the team's", False),
        ("another team's", True),
        ("the team of the project", False),
    ],
)
def test_observers_as_read_run_until_a_configuration_of_the_call_changes(
    what: str, holds: bool, alice: User, shared_project: Project
) -> None:
    configs.change(shared_project, only("cycle", enabled=False), alice)
    known = configs.observers(alice, shared_project)
    observers, guard = configs.observers_as_read(alice, shared_project)
    _change(what, alice, shared_project)

    assert (observers, _holds(guard)) == (known, holds)


def test_observers_of_no_project_are_read_again_when_the_user_joins_a_team(alice: User) -> None:
    configs.observers(alice, None)
    _, guard = configs.observers_as_read(alice, None)
    before = _holds(guard)
    _join_a_team(alice)

    assert (before, _holds(guard)) == (True, False)

    configs.observers(alice, None)
    _, guard = configs.observers_as_read(alice, None)
    assert _holds(guard)


def test_observers_that_were_not_read_yet_are_read_and_need_no_guard(alice: User) -> None:
    configs._read._values.clear()
    observers, guard = configs.observers_as_read(alice, None)

    assert (observers, guard) == (configs.observers(alice, None), None)


@pytest.fixture
def own_of_bob(bob: User, shared_project: Project) -> Project:
    """Bob's private project of the team's one's key, in which his calls are stored."""
    return Project.objects.create(owner=bob, key=shared_project.key)


def test_change_by_the_lead_is_in_effect_for_every_member(alice: User, bob: User, shared_project: Project) -> None:
    for kind in ("poll", "cycle"):
        configs.change(shared_project, only(kind, enabled=False), alice)
        found = [configs.effective(user, shared_project.key).body for user in (alice, bob)]
        assert found == [only(kind, enabled=False)] * 2
    assert [row and row.version for row in [configs.current(shared_project)]] == [2]


def test_project_that_is_not_shared_yet_has_its_own_configuration(
    alice: User, bob: User, shared_project: Project, own_of_bob: Project
) -> None:
    configs.change(shared_project, only("poll", enabled=False), alice)
    configs.change(own_of_bob, only("cycle", enabled=False), bob)

    assert configs.effective(alice, shared_project.key).body == only("poll", enabled=False)
    assert configs.effective(bob, shared_project.key).body == only("cycle", enabled=False)
    assert configs.effective_in(bob, shared_project).body == only("poll", enabled=False)


def test_merge_numbers_the_versions_of_both_by_their_time(
    alice: User, bob: User, shared_project: Project, own_of_bob: Project
) -> None:
    configs.change(own_of_bob, only("poll", enabled=False), bob)
    configs.change(shared_project, only("cycle", enabled=False), alice)
    for _ in range(2):
        configs.merge(own_of_bob, shared_project)

    rows = ObserverConfig.objects.order_by("version").values_list("project", "version", "body")
    assert list(rows) == [
        (shared_project.pk, 2, only("poll", enabled=False)),
        (shared_project.pk, 3, only("cycle", enabled=False)),
    ]


def test_private_project_of_the_key_stays_its_owners(bob: User, charlie: User, own_of_bob: Project) -> None:
    stranger = Project.objects.create(owner=charlie, key=own_of_bob.key)
    configs.change(stranger, only("poll", enabled=False), charlie)
    assert configs.effective(bob, own_of_bob.key).body == {"observers": {}}


def test_configuration_of_the_team_applies_to_a_members_own_project_of_the_key(
    alice: User, bob: User, own_of_bob: Project
) -> None:
    configs.change(alice.teams.get(), only("poll", enabled=False), alice)
    assert configs.effective(bob, own_of_bob.key).body == only("poll", enabled=False)


def test_layers_are_the_scopes_with_their_versions_in_the_order_of_their_weight(
    alice: User, shared_project: Project
) -> None:
    team = alice.teams.get()
    for scope in (alice, team, shared_project):
        configs.change(scope, only("poll", tell=False), alice)
    configs.change(team, only("poll", tell=True), alice)
    layers = configs.effective(alice, shared_project.key).layers
    assert [(layer.scope, layer.version) for layer in layers] == [
        ("team crew", 2),
        ("user alice", 1),
        ("project github.com/crew/shop", 1),
    ]


def test_reach_names_who_is_concerned(alice: User, charlie: User, shared_project: Project) -> None:
    private = Project.objects.create(owner=charlie, key="notes")
    assert configs.reach(shared_project) == "all of team crew, in github.com/crew/shop"
    assert configs.reach(private) == "you alone, in notes"
    assert configs.reach(alice) == "all your calls, as far as no project's configuration differs"
    assert configs.reach(alice.teams.get()).startswith("the projects of team crew and its members")
