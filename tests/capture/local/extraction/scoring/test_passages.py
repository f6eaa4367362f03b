"""Sentences of a paragraph that become one learning."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capture.local.extraction.scoring.passages import LONGEST_PASSAGE, passages


def test_neighbours_join_the_likeliest_sentence_and_raise_its_likelihood() -> None:
    (passage,) = passages([50, 60, 70], [0.2, 0.5, 0.4], [True] * 3)
    assert passage[:3] == (0, 2, 1)
    assert passage.likelihood == pytest.approx(1 - 0.8 * 0.5 * 0.6)


def test_sentence_that_adds_nothing_is_part_of_a_passage_without_raising_its_likelihood() -> None:
    (passage,) = passages([50, 60, 70], [0.2, 0.5, 0.4], [True, True, False])
    assert passage[:3] == (0, 2, 1)
    assert passage.likelihood == pytest.approx(1 - 0.8 * 0.5)


def test_unlikely_sentences_at_the_ends_are_left_out() -> None:
    (passage,) = passages([50, 60, 70], [0.01, 0.5, 0.02], [True] * 3)
    assert passage[:3] == (1, 1, 1)


def test_sentences_that_do_not_fit_are_passages_of_their_own() -> None:
    assert [passage[:3] for passage in passages([300, 300], [0.5, 0.4], [True] * 2)] == [(0, 0, 0), (1, 1, 1)]


def test_paragraph_without_sentences_has_no_passages() -> None:
    assert passages([], [], []) == []


@given(st.lists(st.tuples(st.integers(1, 600), st.floats(0, 1)), max_size=30))
def test_passages_do_not_overlap_and_fit(sentences: list[tuple[int, float]]) -> None:
    lengths = [length for length, _ in sentences]
    found = passages(lengths, [likelihood for _, likelihood in sentences], [True] * len(sentences))
    for passage in found:
        assert passage.first <= passage.best <= passage.last
        inside = lengths[passage.first : passage.last + 1]
        assert sum(inside) <= LONGEST_PASSAGE or len(inside) == 1
        assert 0 <= passage.likelihood <= 1
    assert all(one.last < next_one.first for one, next_one in pairwise(found))
