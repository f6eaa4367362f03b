"""Configurations as JSON: what is used, what is refused, and how layers are merged."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.rows.tool_calls import context_of, session_of
from trajectory.local import DEFAULT_OBSERVERS, ObserverTrigger, RepeatCall
from trajectory.local.config import registry, schema


def test_empty_configuration_is_the_default_set() -> None:
    assert schema.parse({"observers": {}}) == schema.parse({}) == DEFAULT_OBSERVERS


def test_what_is_named_is_changed_and_the_rest_stays() -> None:
    body = {"observers": {"repeat_call": {"settings": {"repetition_threshold": 5}, "tell": False}}}
    first, *others = schema.parse(body)
    assert (first.observer, first.tell, first.trigger) == (RepeatCall(10, 5), False, ObserverTrigger(after_repeats=5))
    assert tuple(others) == DEFAULT_OBSERVERS[1:]


@pytest.mark.parametrize("kind", registry.KINDS)
def test_every_kind_can_be_switched_off_and_its_settings_given_back(kind: str) -> None:
    assert len(schema.parse({"observers": {kind: {"enabled": False}}})) == len(DEFAULT_OBSERVERS) - bool(
        registry.default_of(kind)
    )
    known = {name: value for name, value in registry.settings_of(kind).items() if value is not None}
    known |= {"message": "Look."} if kind == "fixed_message" else {}
    known |= {"initial_paths": ["src/"]} if kind == "drift" else {}
    usable = {name: value for name, value in known.items() if value != ""}
    assert schema.parse({"observers": {kind: {"settings": usable}}})


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 10**15) | st.floats() | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner, max_size=3),
    max_leaves=9,
)
PARTS = st.fixed_dictionaries(
    {},
    optional={
        "enabled": st.booleans() | JSON,
        "tell": st.booleans() | JSON,
        "settings": st.dictionaries(st.sampled_from(["window_size", "repetition_threshold", "calls"]), JSON) | JSON,
        "trigger": st.dictionaries(st.sampled_from(["every_n_calls", "after_repeats", "file_created"]), JSON) | JSON,
    },
)


@given(st.dictionaries(st.sampled_from(list(registry.KINDS)), PARTS | JSON, max_size=4) | JSON)
def test_any_configuration_is_used_or_refused_in_one_line(observers: object) -> None:
    refused = ""
    try:
        configs = schema.parse({"observers": observers})
    except schema.ConfigurationError as error:
        configs, refused = (), str(error)
    session = session_of()
    for config in configs:
        config.observer.should_run(session, context=context_of(session))
    assert "\n" not in refused


def test_settings_that_cannot_be_used_together_are_left_out_with_the_reason() -> None:
    layers: list[dict[str, Any]] = [
        {"observers": {"repeat_call": {"settings": {"window_size": 5}}}},
        {"observers": {"repeat_call": {"settings": {"repetition_threshold": 8}, "tell": False}, "poll": {}}},
    ]
    assert [schema.usable(layer) for layer in layers] == [(layer, ()) for layer in layers]
    body, problems = schema.usable(schema.merged(*layers))
    assert body == {"observers": {"repeat_call": {"tell": False}, "poll": {}}}
    assert problems == ("repeat_call: repetition_threshold must be at most 5, the window_size, not 8",)


def test_layers_are_merged_observer_by_observer() -> None:
    first: dict[str, Any] = {"observers": {"poll": {"settings": {"poll_threshold": 5}, "tell": False}}}
    second = {"observers": {"poll": {"settings": {"budget_seconds": 9}}, "cycle": {"enabled": False}}}
    assert schema.merged(first, second) == {
        "observers": {
            "poll": {"settings": {"poll_threshold": 5, "budget_seconds": 9}, "tell": False},
            "cycle": {"enabled": False},
        }
    }
