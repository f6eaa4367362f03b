"""How similar a model finds texts that have nothing to do with each other.

Models differ in that: of all-MiniLM-L6-v2 the cosine of unrelated texts is about 0, of the E5 models about 0.7. So a
cosine says that two texts are related only beside this background, which is measured by unrelated pairs.
"""

from __future__ import annotations

import math
import statistics
import threading
from dataclasses import dataclass
from operator import mul

from memoryserver.embedding.base import EmbeddingService, Vector

_QUESTIONS = (
    "how do I bake a chocolate cake without eggs",
    "Who won the football world cup in 1998?",
    "capital of Mongolia",
    "what is the boiling point of mercury",
    "best hiking boots for wide feet",
    "How far away is the moon?",
    "why does the nightly backup run out of disk space",
    "train from Vienna to Prague",
    "Which voice does the soprano sing in the second act?",
    "dosage of ibuprofen for children",
    "login fails after the certificate expired",
    "When did the French Revolution begin?",
)
_TEXTS = (
    "The importer retries a failed batch three times and then moves it to the dead letter queue.",
    "Anna: We adopted two kittens from the shelter last weekend.",
    "Roses are pruned in late winter, just above a bud that points outwards.",
    "Use spaces, not tabs, in the Makefile of the documentation.",
    "Ben: My sister finally passed her driving test!",
    "The museum is closed on Mondays; tickets are cheaper after four o'clock.",
    "A race between two workers left the cache with the old price.",
    "Penguins eat krill, squid and small fish.",
    "The tax return has to be filed by the end of July.",
    "Rename the column in two releases, so that the old code keeps working meanwhile.",
    "She plays the violin in an amateur orchestra every Thursday.",
    "Pin the compiler's version, or the build breaks on the next image update.",
)


@dataclass(frozen=True)
class Background:
    """Mean and standard deviation of the cosines of unrelated texts."""

    mean: float
    deviation: float

    def above(self, deviations: float) -> float:
        """Return the cosine that is this many standard deviations above the mean, at most 1."""
        return min(self.mean + deviations * self.deviation, 1.0)


_measured: dict[tuple[str, int], Background] = {}
_lock = threading.Lock()


def background(service: EmbeddingService) -> Background:
    """Return the background of the model, measured at the first call. Raises EmbeddingModelError."""
    with _lock:
        name = (service.model_name, service.dimension)
        if name not in _measured:
            _measured[name] = _measure(service)
        return _measured[name]


def _measure(service: EmbeddingService) -> Background:
    vectors = service.embed_batch([*_QUESTIONS, *_TEXTS])
    questions, texts = vectors[: len(_QUESTIONS)], vectors[len(_QUESTIONS) :]
    cosines = [_cosine(question, text) for question in questions for text in texts]
    return Background(statistics.fmean(cosines), statistics.pstdev(cosines))


def _cosine(one: Vector, other: Vector) -> float:
    product: float = sum(map(mul, one, other))
    return product / (math.hypot(*one) * math.hypot(*other) or 1.0)
