from __future__ import annotations

from memoryserver.contract.vocabulary.obslog import FIELDS
from tests.memoryserver.contract.vocabulary.areas import misplaced


def test_words_are_those_of_its_own_operations_alone() -> None:
    assert misplaced(FIELDS, "observations") == {}
