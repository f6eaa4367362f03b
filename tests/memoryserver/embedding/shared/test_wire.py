"""Vectors as text."""

from __future__ import annotations

import base64
import struct

import pytest

from memoryserver.embedding import Embedding
from memoryserver.embedding.shared.wire import embedding, of_tokens, packed, unpacked


def test_vector_is_little_endian_numbers_of_four_bytes() -> None:
    assert base64.b64decode(packed([1.0, -0.5])) == struct.pack("<2f", 1.0, -0.5)


def test_vector_comes_back_with_the_precision_of_four_bytes() -> None:
    vector = [0.1, -1e-9, 3.0, 0.0]

    assert unpacked(packed(vector)) == pytest.approx(vector, rel=1e-7)


@pytest.mark.parametrize("text", ["not base64!", "AAA=", base64.b64encode(b"12345").decode()])
def test_other_text_is_an_error(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011  (what it says is the library's)
        unpacked(text)


@pytest.mark.parametrize(("wanted", "tokens"), [(True, b"tokens"), (False, b"")])
def test_what_a_vector_has_of_its_tokens_comes_back(wanted: bool, tokens: bytes) -> None:
    vector = Embedding([1.0, -0.5], b"codes", b"tokens")

    back = embedding({"embedding": packed(vector), **of_tokens(vector, tokens=wanted)})

    assert isinstance(back, Embedding)
    assert (back, back.codes, back.tokens) == ([1.0, -0.5], b"codes", tokens)


def test_vector_without_tokens_comes_back_without() -> None:
    back = embedding({"embedding": packed([1.0]), **of_tokens([1.0], tokens=True)})

    assert (back, type(back)) == ([1.0], list)
