"""The sentences of observers."""

from __future__ import annotations

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
