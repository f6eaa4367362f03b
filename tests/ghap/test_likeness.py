from __future__ import annotations

from collections.abc import Sequence

import pytest

from ghap.likeness import likenesses
from memoryserver.embedding import Vector
from memoryserver.embedding.onnx.service import OnnxService
from tests.support.embedder import WordEmbedder


def test_same_words_in_another_order_are_wholly_alike() -> None:
    assert likenesses(WordEmbedder(), [("the lock is held", "held is the lock")]) == [1.0]


def test_paraphrase_is_alike_and_an_observation_is_not(real_model: OnnxService) -> None:
    same, observed = likenesses(
        real_model,
        [
            (
                "The cron job does not run because the daemon is stopped",
                "The daemon is stopped, so cron jobs don't run",
            ),
            ("The cron job does not run because the daemon is stopped", "systemctl status cron says inactive (dead)"),
        ],
    )

    assert same > 0.9
    assert observed < 0.6


def test_model_that_cannot_tell_finds_nothing_alike() -> None:
    class Blind(WordEmbedder):
        model_name = "blind"

        def embed_batch(self, texts: Sequence[str]) -> list[Vector]:
            return [[1.0, 0.0] for _ in texts]

    assert likenesses(Blind(), [("the same", "the same")]) == [0.0]


def test_scale_is_asked_for_once_and_the_pairs_are_one_batch() -> None:
    batches = []

    class Counting(WordEmbedder):
        model_name = "counting"

        def embed_batch(self, texts: Sequence[str]) -> list[Vector]:
            batches.append(len(texts))
            return super().embed_batch(texts)

    for _ in range(2):
        likenesses(Counting(), [("a", "b"), ("c", "d")])

    assert batches[1:] == [4, 4]


def test_text_without_a_vector_is_like_nothing() -> None:
    class Nought(WordEmbedder):
        model_name = "nought"

        def embed_batch(self, texts: Sequence[str]) -> list[Vector]:
            known = super().embed_batch(texts)
            return [[0.0] * 64 if text == "" else vector for text, vector in zip(texts, known, strict=True)]

    assert likenesses(Nought(), [("", "something")]) == [pytest.approx(0.0)]
