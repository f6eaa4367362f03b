"""The short digest that names things."""

from __future__ import annotations

import hashlib

import pytest

from memoryserver.common.digest import digest


def test_digest_is_blake2b_in_hexadecimal() -> None:
    assert digest("shop") == hashlib.blake2b(b"shop", digest_size=12).hexdigest() == "f321303ff3922965922adaf4"


@pytest.mark.parametrize("size", [1, 8, 12, 32])
def test_digest_has_two_characters_a_byte(size: int) -> None:
    assert len(digest("shop", size)) == 2 * size


def test_text_is_digested_as_utf_8() -> None:
    assert digest("zoë") == digest("zoë".encode())
    assert digest("zoë") != digest("zoe")


def test_lone_surrogate_has_a_digest_of_its_own() -> None:
    assert len({digest("\ud83d"), digest("\ud83e"), digest("")}) == 3
