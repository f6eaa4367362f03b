"""Irregular forms of English words."""

from __future__ import annotations

from memoryserver.vectors.irregular import BASES


def test_no_base_is_itself_a_form() -> None:
    assert not set(BASES) & set(BASES.values())
