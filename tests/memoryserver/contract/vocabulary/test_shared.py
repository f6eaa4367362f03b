from __future__ import annotations

from memoryserver.contract.vocabulary.shared import FIELDS
from tests.memoryserver.contract.vocabulary.areas import areas_of


def test_each_word_is_used_in_more_than_one_area() -> None:
    assert [word for word in FIELDS if len(areas_of(word)) < 2] == []
