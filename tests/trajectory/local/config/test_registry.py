"""Every observer that a configuration can name, with its settings."""

from __future__ import annotations

from trajectory.local import DEFAULT_OBSERVERS
from trajectory.local.config import registry


def test_every_default_observer_has_a_kind() -> None:
    kinds = [registry.default_of(kind) for kind in registry.KINDS]
    assert [config for config in kinds if config] == list(DEFAULT_OBSERVERS)


def test_kind_outside_the_default_set_has_no_default() -> None:
    outside = [kind for kind in registry.KINDS if registry.default_of(kind) is None]
    assert outside == ["drift", "pace", "fixed_message", "stall"]
    assert registry.default_of("no_such_kind") is None


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
