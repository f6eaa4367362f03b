from __future__ import annotations

import pytest

from memoryserver.search.engine import FUSION
from memoryserver.search.rescoring.scores import parts


def test_part_is_the_share_of_the_best_similarity_by_the_rank() -> None:
    found = parts({1: 0.2, 2: 0.8, 3: -0.1}, 1.5)

    assert found == {
        1: pytest.approx(1.5 * 0.25 / (FUSION + 2)),
        2: pytest.approx(1.5 / (FUSION + 1)),
        3: 0.0,
    }


def test_first_of_equal_ones_comes_first_and_of_nothing_there_is_nothing() -> None:
    assert parts({7: 0.5, 5: 0.5}) == {7: pytest.approx(1 / (FUSION + 1)), 5: pytest.approx(1 / (FUSION + 2))}
    assert parts({}) == {}
