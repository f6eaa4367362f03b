"""The sentences of observers."""

from __future__ import annotations

from typing import Any

import pytest

from trajectory.local.config import registry
from trajectory.observer_texts import TEXTS, ObserverText


def test_every_observer_has_a_text() -> None:
    assert TEXTS.keys() == registry.KINDS.keys()


@pytest.mark.parametrize("kind", registry.KINDS)
def test_sentence_has_each_setting_once(kind: str) -> None:
    named = [name for _, name in TEXTS[kind].parts() if name]
    assert sorted(named) == sorted(registry.settings_of(kind))


def test_sentence_is_cut_at_its_settings() -> None:
    parts = ObserverText("x", "After {n} calls of {m}.").parts()
    assert parts == [("After ", "n"), (" calls of ", "m"), (".", "")]


@pytest.mark.parametrize("kind", registry.KINDS)
def test_observer_is_called_as_its_findings_call_it(kind: str) -> None:
    needed: dict[str, dict[str, Any]] = {
        "drift": {"initial_paths": frozenset({"src"})},
        "fixed_message": {"message": "x"},
    }
    title = {"fixed_message": "Fixed message"}
    assert title.get(kind, registry.KINDS[kind](**needed.get(kind, {})).name) == TEXTS[kind].title
