"""A small deterministic embedder for tests that are not about meaning."""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Sequence

from memoryserver.embedding import Vector


class WordEmbedder:
    """A bag of words hashed into 64 numbers: texts that share words are near, equal texts are equal."""

    model_name = "words-64"
    dimension = 64

    def load(self) -> None:
        pass

    def embed(self, text: str) -> Vector:
        vector = [0.0] * self.dimension
        for word in re.findall(r"\w+", text.lower()):
            vector[hashlib.sha256(word.encode()).digest()[0] % self.dimension] += 1.0
        length = math.sqrt(sum(number * number for number in vector))
        return [number / length for number in vector] if length else [1.0, *vector[1:]]

    def embed_batch(self, texts: Sequence[str]) -> list[Vector]:
        return [self.embed(text) for text in texts]
