"""Irregular forms of English words."""

from __future__ import annotations

import pytest

from memoryserver.vectors.irregular import BASES


def test_no_base_is_itself_a_form() -> None:
    assert not set(BASES) & set(BASES.values())


@pytest.mark.parametrize(("form", "base"), [("broken", "break"), ("children", "child"), ("indices", "index")])
def test_form_has_its_base(form: str, base: str) -> None:
    assert BASES[form] == base


@pytest.mark.parametrize("word", ["lay", "bore", "ground", "lives", "people"])
def test_form_that_is_a_common_word_itself_is_left_out(word: str) -> None:
    assert word not in BASES


def test_words_are_in_lower_case_and_each_form_differs_from_its_base() -> None:
    words = {*BASES, *BASES.values()}

    assert {word for word in words if not (word.isascii() and word.isalpha() and word.islower())} == set()
    assert {form for form, base in BASES.items() if form == base} == set()
