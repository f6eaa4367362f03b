from __future__ import annotations

import importlib.util
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ghap import grouping
from ghap.grouping import Group, distinctive_terms, groups
from tests.support.examples import examples


def around(centre: list[float], count: int, seed: int) -> list[list[float]]:
    """`count` vectors near `centre`."""
    chance = random.Random(seed)
    return [[number + chance.gauss(0, 0.02) for number in centre] for _ in range(count)]


A, B = [1.0, 0.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0, 0.0]
STRAY = [[0.0, 0.0, 1.0, 0.0, 0.0], [0.0, 0.0, -0.3, 1.0, 0.0], [-1.0, -1.0, 0.2, 0.1, 0.0], [0.0, 0.0, 0.0, 0.0, -1.0]]


def members(found: list[Group]) -> list[set[int]]:
    return [set(group.members) for group in found]


def test_dense_places_are_groups_and_strays_are_in_none() -> None:
    vectors = [*around(A, 5, 1), *STRAY, *around(B, 4, 2)]

    assert members(groups(vectors, [1.0] * 13)) == [{0, 1, 2, 3, 4}, {9, 10, 11, 12}]


def test_length_of_the_vectors_does_not_count() -> None:
    vectors = [*around(A, 4, 1), *around(B, 4, 2)]
    longer = [[number * (place + 1) for number in vector] for place, vector in enumerate(vectors)]

    assert members(groups(longer, [1.0] * 8)) == members(groups(vectors, [1.0] * 8))


def test_one_dense_place_among_strays_is_a_group() -> None:
    (group,) = groups([*around(A, 4, 1), *STRAY], [1.0] * 8)

    assert set(group.members) <= {0, 1, 2, 3}


def test_strays_alone_are_no_group() -> None:
    assert groups(STRAY, [1.0] * 4) == []


def test_same_vector_again_and_again_is_one_group() -> None:
    assert groups([A] * 4, [1.0, 1.0, 1.0, 0.5]) == [Group((0, 1, 2, 3), (1.0,) * 4, 3.5)]


def test_same_vectors_twice_over_are_two_groups() -> None:
    assert members(groups([A, B] * 3, [1.0] * 6)) == [{0, 2, 4}, {1, 3, 5}]


@pytest.mark.parametrize("count", [0, 1, 2])
def test_fewer_than_three_are_no_group(count: int) -> None:
    assert groups([A] * count, [1.0] * count) == []


def test_heavier_group_comes_first_though_it_is_smaller() -> None:
    vectors = [*around(A, 5, 1), *around(B, 4, 2)]

    found = groups(vectors, [0.2] * 5 + [1.0] * 4)

    assert [(len(group.members), group.weight) for group in found] == [(4, 4.0), (5, 1.0)]


def test_most_central_member_is_first() -> None:
    vectors = [[1.0, 0.1, 0.0], [1.0, -0.1, 0.0], [1.0, 0.0, 0.0], *around([0.0, 0.0, 1.0], 3, 1)]

    group = next(group for group in groups(vectors, [1.0] * 6) if 2 in group.members)

    assert group.members[0] == 2
    assert list(group.likeness) == sorted(group.likeness, reverse=True)


def test_weights_draw_the_centre_to_the_heavy_ones() -> None:
    line = [[1.0, 0.05 * step, 0.0] for step in range(5)]
    apart = around([0.0, 0.0, 1.0], 3, 1)

    light, heavy = (
        next(group for group in groups([*line, *apart], weights) if 0 in group.members).members[0]
        for weights in ([1.0] * 8, [1.0, 1.0, 0.05, 0.05, 0.05, 1.0, 1.0, 1.0])
    )

    assert (light, heavy) == (2, 1)


def test_nought_is_a_vector_like_any_other() -> None:
    assert members(groups([*around(A, 3, 1), [0.0] * 5, *around(B, 4, 2)], [1.0] * 8)) == [{4, 5, 6, 7}, {0, 1, 2}]


@settings(max_examples=examples(60))
@given(st.lists(st.lists(st.integers(-3, 3), min_size=3, max_size=3), max_size=25))
def test_any_vectors_give_disjoint_groups_of_three_or_more_and_the_same_ones_again(vectors: list[list[int]]) -> None:
    found = groups(vectors, [1.0] * len(vectors))
    flat = [member for group in found for member in group.members]

    assert len(flat) == len(set(flat))
    assert all(len(group.members) >= 3 for group in found)
    assert found == groups(vectors, [1.0] * len(vectors))


def weighed(*texts: str) -> list[tuple[str, float]]:
    return [(text, 1.0) for text in texts]


def test_terms_are_what_one_class_says_more_than_the_others() -> None:
    zone, lock = distinctive_terms(
        [
            weighed("The test saw the time zone", "Time zones differ in the test", "zone of the server"),
            weighed("The test waits for a lock", "Locks are held in the test", "lock released"),
        ],
        weighed("The test is slow"),
    )

    assert (zone[0], lock[0]) == ("zone", "lock")
    assert ("test" in zone[:2], "lock" in zone, "zone" in lock) == (False, False, False)


def test_word_of_one_text_alone_is_no_term() -> None:
    assert distinctive_terms([weighed("alpha alpha alpha beta", "beta gamma")], []) == [["beta"]]


def test_class_without_common_words_has_no_terms() -> None:
    assert distinctive_terms([weighed("alpha", "beta")], []) == [[]]


def test_term_is_shown_in_its_commonest_spelling() -> None:
    assert distinctive_terms([weighed("caches", "cached caches", "caches")], []) == [["caches"]]


def test_numbers_function_words_and_words_put_together_for_search_are_no_terms() -> None:
    text = "src/app/models.py is at 42 and at getUserName"

    assert set(distinctive_terms([weighed(text, text)], [])[0]) == {
        "src", "app", "models", "py", "get", "user", "name", "getusername",
    } - {"get"}  # fmt: skip


def test_no_classes_have_no_terms() -> None:
    assert distinctive_terms([], weighed("something")) == []


@given(st.lists(st.lists(st.text(max_size=40), max_size=4), max_size=4))
def test_any_texts_have_at_most_eight_terms_each(classes: list[list[str]]) -> None:
    found: Any = distinctive_terms([weighed(*texts) for texts in classes], [])

    assert [len(terms) <= 8 for terms in found] == [True] * len(classes)


@pytest.mark.parametrize(("spec", "installed"), [(object(), True), (None, False)])
def test_library_is_looked_for_without_importing_it(
    spec: object, installed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", {"sklearn": spec}.__getitem__)

    assert grouping.is_installed() is installed
