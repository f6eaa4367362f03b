"""How alike two texts are, on a scale that means the same for every embedding model.

One model gives two unrelated sentences a cosine of 0.1, another 0.7. So a model is first shown pairs of which
it is known whether they say the same, and a cosine is read by where those lie.
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
_APART = (
    ("The disk is full", "df shows 100 % for /var"),
    ("The worker dies because it runs out of memory", "With 2 GB more no job fails tonight"),
    ("Retries are missing in the upload", "Of 200 uploads over the bad line all arrive"),
    ("The token has expired", "A fresh login gets the list with status 200"),
    ("The counter is incremented twice", "After one click it says 1 instead of 2"),
    ("The route is missing in the router", "The page opens instead of the 404"),
)
_LEAST_SPAN = 0.05  # between the two kinds; a model that keeps them no further apart cannot tell them


def likenesses(service: EmbeddingService, pairs: Sequence[tuple[str, str]]) -> list[float]:
    """For each pair: 0 where the two are no nearer than a hypothesis and what is observed of it, 1 where they
    say the same. All are embedded in one batch. Raises EmbeddingModelError.
    """
    apart, same = _scale(service)
    if same - apart < _LEAST_SPAN:
        return [0.0] * len(pairs)
    return [min(1.0, max(0.0, (near - apart) / (same - apart))) for near in _cosines(service, pairs)]


_scales: dict[str, tuple[float, float]] = {}


def _scale(service: EmbeddingService) -> tuple[float, float]:
    """Where the cosines of pairs lie that are apart, and of those that say the same: asked once of each model."""
    if service.model_name not in _scales:
        near = _cosines(service, [*_APART, *_SAME])
        apart, same = near[: len(_APART)], near[len(_APART) :]
        _scales[service.model_name] = sum(apart) / len(apart), sum(same) / len(same)
    return _scales[service.model_name]


def _cosines(service: EmbeddingService, pairs: Sequence[tuple[str, str]]) -> list[float]:
    vectors = service.embed_batch([text for pair in pairs for text in pair])
    return [_cosine(one, other) for one, other in zip(vectors[::2], vectors[1::2], strict=True)]


def _cosine(one: Vector, other: Vector) -> float:
    lengths = sum(number * number for number in one) * sum(number * number for number in other)
    return sum(a * b for a, b in zip(one, other, strict=True)) / lengths**0.5 if lengths else 0.0
