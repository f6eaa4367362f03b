"""A small deterministic embedder for tests that are not about meaning."""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Sequence

import numpy as np

from memoryserver.embedding import Vector, tokens


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


class TokenEmbedder(WordEmbedder):
    """The same bag of words, and each word as a token of its own: 64 signs out of its digest."""

    def embed(self, text: str) -> Vector:
        words = re.findall(r"\w+", text.lower()) or [""]
        digests = [hashlib.sha256(word.encode()).digest()[:8] for word in words]
        signs = np.unpackbits(np.frombuffer(b"".join(digests), np.uint8).reshape(-1, 8), axis=1) * 2.0 - 1
        return tokens.embedding(super().embed(text), (signs / 8).astype(np.float32))
