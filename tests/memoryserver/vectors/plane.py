"""Models for tests of moving between them: a text's vector is made of its digest, and not of its words."""

from __future__ import annotations

import hashlib
import math
import os
import time
from collections.abc import Sequence

from memoryserver.embedding import EmbeddingModelError, Vector


class Digest:
    """`dimension` numbers, length 1. Text with the word `poison` cannot be embedded."""

    model_name = "digest-8"
    dimension = 8

    def load(self) -> None:
        pass

    def embed(self, text: str) -> Vector:
        return self.embed_batch([text])[0]

    def embed_batch(self, texts: Sequence[str]) -> list[Vector]:
        return [self._vector(text) for text in texts]

    def _vector(self, text: str) -> Vector:
        if "poison" in text:
            raise EmbeddingModelError("the model choked")
        digest = hashlib.sha256(f"{self.model_name} {text}".encode()).digest()
        vector = [byte - 127.5 for byte in digest[: self.dimension]]
        length = math.sqrt(sum(number * number for number in vector))
        return [number / length for number in vector]


class Other(Digest):
    """Another model with vectors of another length."""

    model_name = "digest-12"
    dimension = 12


class Slow(Other):
    """The same model in no hurry, so that it can be killed in the middle."""

    def embed_batch(self, texts: Sequence[str]) -> list[Vector]:
        time.sleep(float(os.environ.get("TEST_SLOW_SECONDS", "0.3")))
        return super().embed_batch(texts)
