"""Each word has a text that begins like the middle of a sentence and ends without a full stop."""

from __future__ import annotations

from memoryserver.contract.vocabulary_m_z import FIELDS


def test_texts_are_phrases() -> None:
    assert [word for word, (text, _) in FIELDS.items() if not text or text.endswith(".")] == []
