"""What a second look adds to the score of a result."""

from __future__ import annotations

from collections.abc import Mapping

from memoryserver.search.engine import FUSION


def parts(similarities: Mapping[int, float], weight: float = 1.0) -> dict[int, float]:
    """Return the part of each result's score, by record: weight * similarity / best similarity / (FUSION + rank).

    Ranks are by similarity, from 1; of equal ones the first in `similarities` comes first.
    """
    best = max([*similarities.values(), 1e-6])
    order = sorted(similarities, key=lambda record: -similarities[record])
    return {
        record: weight * max(similarities[record], 0) / best / (FUSION + rank) for rank, record in enumerate(order, 1)
    }
