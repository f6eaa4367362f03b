"""Where each part of a configuration comes from."""

from __future__ import annotations

from typing import Any

import pytest

from trajectory.local import DEFAULT_OBSERVERS, FixedMessage, ObserverConfig, ObserverTrigger
from trajectory.local.config.origins import DEFAULT, Origins, kind_of


def layer(scope: str, version: int, **observers: Any) -> dict[str, Any]:
    return {"scope": scope, "version": version, "configuration": {"observers": observers}}


TEAM = layer("team crew", 2, poll={"settings": {"poll_threshold": 5}, "tell": False}, cycle={"enabled": False})
PROJECT = layer("project shop", 7, poll={"settings": {"budget_seconds": 60}}, stall={"enabled": False})


@pytest.mark.parametrize(
    ("part", "setting", "expected"),
    [
        ("settings", "poll_threshold", "team crew, version 2"),
        ("settings", "budget_seconds", "project shop, version 7"),
        ("settings", "budget_share", DEFAULT),
        ("tell", "", "team crew, version 2"),
        ("trigger", "", DEFAULT),
    ],
)
def test_origin_is_the_last_layer_that_names_it(part: str, setting: str, expected: str) -> None:
    assert Origins({"layers": [TEAM, PROJECT]}).of("poll", part, setting) == expected


def test_observers_that_are_turned_off_name_the_layer_and_those_turned_on_again_are_left_out() -> None:
    again = layer("user alice", 1, cycle={"enabled": True})
    assert Origins({"layers": [TEAM, PROJECT]}).turned_off() == {
        "cycle": "team crew, version 2",
        "stall": "project shop, version 7",
    }
    assert Origins({"layers": [TEAM, again, PROJECT]}).turned_off() == {"stall": "project shop, version 7"}


def test_copy_of_a_server_that_names_no_layers_is_one_layer() -> None:
    cached = {"version": "v1", "configuration": {"observers": {"poll": {"tell": False}}}}
    assert Origins(cached).of("poll", "tell") == "server, version v1"


@pytest.mark.parametrize("cached", [{}, {"layers": []}, {"layers": [3, {"configuration": 4}]}, {"version": 1}])
def test_damaged_or_missing_copy_leaves_the_defaults(cached: dict[str, Any]) -> None:
    assert (Origins(cached).of("poll", "tell"), Origins(cached).turned_off()) == (DEFAULT, {})


def test_kind_is_that_of_the_registry_and_none_for_a_foreign_observer() -> None:
    class Foreign(FixedMessage):
        pass

    assert kind_of(DEFAULT_OBSERVERS[0]) == "repeat_call"
    assert kind_of(ObserverConfig(Foreign("Hello."), ObserverTrigger(every_n_calls=1))) is None
