"""The cosines of unrelated texts."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from memoryserver.embedding import Background, Vector, background
from memoryserver.embedding.sentence_transformer import SentenceTransformerService
from tests.support.embedder import WordEmbedder


class Constant(WordEmbedder):
    """Has the same vector for every text."""

    model_name = "constant"

    def __init__(self) -> None:
        self.calls = 0

    def embed_batch(self, texts: Sequence[str]) -> list[Vector]:
        self.calls += 1
        return [[3.0, 4.0] for _ in texts]


def test_cosines_are_measured_once_whatever_the_vectors_length() -> None:
    model = Constant()

    measured, again = background(model), background(model)

    assert (measured.mean, measured.deviation) == pytest.approx((1.0, 0.0))
    assert (again, model.calls) == (measured, 1)


def test_limit_is_so_many_deviations_above_the_mean_and_at_most_one() -> None:
    model = Background(mean=0.1, deviation=0.2)

    assert [model.above(2), model.above(50)] == pytest.approx([0.5, 1.0])


def test_unrelated_texts_are_about_orthogonal_in_the_bundled_model(real_model: SentenceTransformerService) -> None:
    measured = background(real_model)

    assert measured.mean == pytest.approx(0.02, abs=0.02)
    assert measured.deviation == pytest.approx(0.06, abs=0.02)
