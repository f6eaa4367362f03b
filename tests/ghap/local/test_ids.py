"""Ids of entries and sessions."""

from __future__ import annotations

import re

import pytest

from ghap.local import generate_ghap_id, generate_session_id
from ghap.local.ids import is_session_id


def test_ids_have_the_published_form_and_differ() -> None:
    ids = {generate_ghap_id() for _ in range(1000)}
    assert len(ids) > 990  # 24 random bits a second
    assert all(re.fullmatch(r"ghap_\d{8}_\d{6}_[0-9a-f]{6}", item) for item in ids)
    assert re.fullmatch(r"session_\d{8}_\d{6}_[0-9a-f]{6}", generate_session_id())


def test_generated_and_published_session_ids_are_valid() -> None:
    assert is_session_id(generate_session_id())
    assert is_session_id("session_20251203_140000_x7y8z9")


@pytest.mark.parametrize(
    "word",
    ["", "session_20251203_140000_x7y8z", "session_20251203_140000_x7y8z9\n", "../session_20251203_140000_x7y8z9",
     "session_20251203_140000_x7y8z9/..", "session_２0251203_140000_x7y8z9", "session_20251203_140000_X7Y8Z9"],
)  # fmt: skip
def test_text_that_only_resembles_a_session_id_is_invalid(word: str) -> None:
    assert not is_session_id(word)
