"""Similarity of two texts on a scale that is comparable between embedding models.

Two unrelated sentences have a cosine of 0.1 with one model and of 0.7 with another. So each model is calibrated with
pairs known to be equivalent or different, and cosines are scaled between their means.
"""

from __future__ import annotations

from collections.abc import Sequence

from memoryserver.embedding import EmbeddingService, Vector

_SAME = (
    ("The disk is full", "There is no space left on the disk"),
    ("The worker dies because it runs out of memory", "Running out of memory makes the worker die"),
    ("Adding retries will make the upload more reliable", "The upload becomes more reliable by adding retries"),
    ("The token has expired", "The token is not valid any more since it has expired"),
    ("The counter is incremented twice", "The counter gets incremented two times"),
    ("The route is missing in the router", "The router lacks the route"),
)
_DIFFERENT = (
    ("The disk is full", "df shows 100 % for /var"),
    ("The worker dies because it runs out of memory", "With 2 GB more no job fails tonight"),
    ("Retries are missing in the upload", "Of 200 uploads over the bad line all arrive"),
    ("The token has expired", "A fresh login gets the list with status 200"),
    ("The counter is incremented twice", "After one click it says 1 instead of 2"),
    ("The route is missing in the router", "The page opens instead of the 404"),
)
_MIN_SPAN = 0.05  # between the two means; a model with less cannot distinguish them


def likenesses(service: EmbeddingService, pairs: Sequence[tuple[str, str]]) -> list[float]:
    """Return the similarity of each pair, from 0 (different, as a hypothesis and an observation) to 1 (equivalent).

    All texts are embedded in one batch. Raises EmbeddingModelError.
    """
    different, same = _scale(service)
    if same - different < _MIN_SPAN:
        return [0.0] * len(pairs)
    return [min(1.0, max(0.0, (cosine - different) / (same - different))) for cosine in _cosines(service, pairs)]


_scales: dict[str, tuple[float, float]] = {}


def _scale(service: EmbeddingService) -> tuple[float, float]:
    """Return the mean cosines of the different and of the equivalent pairs, computed once per model."""
    if service.model_name not in _scales:
        cosines = _cosines(service, [*_DIFFERENT, *_SAME])
        different, same = cosines[: len(_DIFFERENT)], cosines[len(_DIFFERENT) :]
        _scales[service.model_name] = sum(different) / len(different), sum(same) / len(same)
    return _scales[service.model_name]


def _cosines(service: EmbeddingService, pairs: Sequence[tuple[str, str]]) -> list[float]:
    vectors = service.embed_batch([text for pair in pairs for text in pair])
    return [_cosine(first, second) for first, second in zip(vectors[::2], vectors[1::2], strict=True)]


def _cosine(first: Vector, second: Vector) -> float:
    lengths = sum(number * number for number in first) * sum(number * number for number in second)
    return sum(a * b for a, b in zip(first, second, strict=True)) / lengths**0.5 if lengths else 0.0
