"""Vectors as text."""

from __future__ import annotations

import base64
import struct

import pytest

from memoryserver.embedding.shared.wire import packed, unpacked


def test_vector_is_little_endian_numbers_of_four_bytes() -> None:
    assert base64.b64decode(packed([1.0, -0.5])) == struct.pack("<2f", 1.0, -0.5)


def test_vector_comes_back_with_the_precision_of_four_bytes() -> None:
    vector = [0.1, -1e-9, 3.0, 0.0]

    assert unpacked(packed(vector)) == pytest.approx(vector, rel=1e-7)


@pytest.mark.parametrize("text", ["not base64!", "AAA=", base64.b64encode(b"12345").decode()])
def test_other_text_is_an_error(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011  (what it says is the library's)
        unpacked(text)
