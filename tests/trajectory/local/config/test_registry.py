"""Every observer that a configuration can name, with its trigger and settings."""

from __future__ import annotations

import pytest

from trajectory.local import DEFAULT_OBSERVERS, ObserverTrigger
from trajectory.local.config import registry


def test_every_default_observer_has_a_kind() -> None:
    kinds = [registry.default_of(kind) for kind in registry.KINDS]
    assert [config for config in kinds if config] == list(DEFAULT_OBSERVERS)


def test_kind_outside_the_default_set_has_no_default() -> None:
    outside = [kind for kind in registry.KINDS if registry.default_of(kind) is None]
    assert outside == ["drift", "pace", "fixed_message", "stall"]
    assert registry.default_of("no_such_kind") is None


@pytest.mark.parametrize("kind", registry.KINDS)
def test_trigger_is_that_of_the_default_set_where_the_kind_is_in_it(kind: str) -> None:
    default = registry.default_of(kind)
    every = {"drift": 10, "pace": 5, "fixed_message": 50, "stall": 10}
    expected = default.trigger if default else ObserverTrigger(every_n_calls=every[kind])
    assert registry.trigger_of(kind) == expected


def test_unknown_kind_has_no_trigger() -> None:
    with pytest.raises(KeyError):
        registry.trigger_of("no_such_kind")


def test_required_settings_are_those_without_a_default() -> None:
    required = {kind: registry.required_of(kind) for kind in registry.KINDS}
    assert {kind: names for kind, names in required.items() if names} == {
        "drift": {"initial_paths"},
        "fixed_message": {"message"},
    }


def test_settings_are_those_of_the_default_set_and_not_of_the_class() -> None:
    settings = registry.settings_of("error_cascade")
    assert (settings["consecutive_threshold"], settings["info_threshold"]) == (4, 3)
    assert registry.settings_of("repeat_call") == {"window_size": 10, "repetition_threshold": 3}


def test_setting_that_must_be_given_is_none() -> None:
    assert registry.settings_of("fixed_message") == {"message": None, "title": "Message", "severity": "caution"}
