from __future__ import annotations

import pytest
from django.core.exceptions import PermissionDenied, ValidationError

from memoryserver.accounts.models import Project, User
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
    assert configs.effective(alice, None).body == second


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

    assert configs.effective(alice, shared_project).body == {
        "observers": {
            "poll": {"enabled": False},
            "cycle": {"tell": True},
            "pace": {"settings": {"calls": 90, "seconds": 60}},
        }
    }


def test_version_of_what_holds_changes_with_it_and_differs_by_place(alice: User, shared_project: Project) -> None:
    before = configs.effective(alice, shared_project).version
    configs.change(shared_project, only("poll", enabled=False), alice)

    assert configs.effective(alice, None).version == before
    assert configs.effective(alice, shared_project).version != before


def test_members_change_team_and_project_and_strangers_nothing(
    alice: User, bob: User, charlie: User, shared_project: Project
) -> None:
    team = alice.teams.get()
    assert [configs.may_change(user, team) for user in (alice, bob, charlie)] == [True, True, False]
    assert [configs.may_change(user, shared_project) for user in (alice, bob, charlie)] == [True, True, False]
    assert [configs.may_change(user, alice) for user in (alice, bob, charlie)] == [True, False, False]
    with pytest.raises(PermissionDenied):
        configs.change(shared_project, {}, charlie)


def test_observers_are_those_of_the_configuration(alice: User) -> None:
    configs.change(alice, only("repeat_call", enabled=False), alice)

    assert "Repeated Call" not in [config.name for config in configs.observers(alice, None)]
