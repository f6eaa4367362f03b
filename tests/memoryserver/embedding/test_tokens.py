from __future__ import annotations

import numpy as np
import pytest

from memoryserver.embedding import tokens
from tests.support.embedder import TokenEmbedder, WordEmbedder

SIZE = 12  # no multiple of eight: the last byte of a token is filled up


def rows(count: int, seed: int = 1) -> tokens.Tokens:
    made = np.random.default_rng(seed).normal(size=(count, SIZE)).astype(np.float32)
    return np.asarray(made / np.linalg.norm(made, axis=1, keepdims=True), np.float32)


def test_embedding_is_its_vector_with_codes_and_tokens() -> None:
    kept = tokens.embedding([0.5, 0.25], rows(3))

    assert kept == [0.5, 0.25]
    assert len(kept.codes) == 3 * 2
    assert tokens.unpacked(kept.tokens, SIZE) == pytest.approx(rows(3), abs=1e-3)


def test_of_a_long_text_the_beginning_is_kept() -> None:
    long, cut = tokens.embedding([1.0], rows(100)), tokens.embedding([1.0], rows(100)[: tokens.MAX_TOKENS])

    assert (long.codes, long.tokens) == (cut.codes, cut.tokens)


def test_similarity_is_the_mean_of_each_tokens_nearest_by_the_signs_of_the_text() -> None:
    questions, texts = [rows(4), rows(2, 5)], [rows(3, 2), rows(7, 3), rows(1, 4)]
    expected = [
        [(question @ (np.sign(text) / np.sqrt(SIZE)).T).max(axis=1).mean() for text in texts] for question in questions
    ]

    found = tokens.similarities(questions, [tokens.embedding([], text).codes for text in texts])

    assert [values.tolist() for values in found] == [pytest.approx(values, abs=1e-5) for values in expected]


@pytest.mark.parametrize("codes", [b"", b"123"])
def test_text_without_tokens_or_of_another_size_is_an_error(codes: bytes) -> None:
    with pytest.raises(ValueError, match="codes of texts must have 2 bytes for each token"):
        tokens.similarities([rows(2)], [codes])


def test_tokens_of_another_size_are_an_error() -> None:
    with pytest.raises(ValueError, match="reshape"):
        tokens.unpacked(tokens.embedding([], rows(3)).tokens, SIZE + 1)


def test_embedder_of_the_tests_has_the_vectors_of_the_one_without_tokens() -> None:
    assert TokenEmbedder().embed("the lock is held") == WordEmbedder().embed("the lock is held")
