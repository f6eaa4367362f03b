"""What `python -m bench.questions` asks, and the learnings that are asked: real texts, and as many more as are wanted.

The sets of `bench/relevance.py` have 2,500 texts, with the model's own vectors. A further text is the first half of one
and the second of another; its vector lies between theirs, so that clusters are those of real texts.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import numpy as np

from bench.support.relevance.data import Text, chat, memory
from bench.support.relevance.dialogues import NAMES, dialogue

_AT_ONCE = 2_000
_STAGED = 500
_NOISE = 0.02  # of each number of a vector of length 1; the model's own are about 0.05
_BORN = datetime(2026, 1, 2, tzinfo=UTC)


@dataclass(frozen=True)
class _Known:
    """A text and what the model says of it."""

    text: str
    vector: Any
    codes: bytes


class Memory:
    """Learnings of one user, the same at each run."""

    def __init__(self, owner: Any, service: Any) -> None:
        self._owner = owner
        self._model = service.model_name
        self._chance = random.Random(7)
        self._numbers = np.random.default_rng(7)
        texts = [_text(text) for text in [*memory().texts, *chat().texts, *_dialogues()]]
        self._chance.shuffle(texts)
        self._real = [_Known(text, np.array(vector), vector.codes) for text, vector in _embedded(service, texts)]
        self.count = 0

    def grow(self, size: int) -> None:
        """Store learnings until there are `size`."""
        from django.db import connection

        while self.count < size:
            count = min(_AT_ONCE, size - self.count)
            self._store([self._next() for _ in range(count)])
        with connection.cursor() as cursor:
            cursor.execute("VACUUM ANALYZE")

    def wait(self, count: int) -> None:
        """Store as many learnings that wait to be embedded."""
        from capture.documents import stage
        from capture.models import Learning

        for start in range(0, count, _STAGED):  # a job takes them from the first on
            numbers = range(start, min(start + _STAGED, count))
            rows = [Learning(**self._fields(f"{self._next().text} {number}")) for number in numbers]
            stage(self._owner, None, Learning.objects.bulk_create(rows))

    def _next(self) -> _Known:
        self.count += 1
        if self.count <= len(self._real):
            return self._real[self.count - 1]
        first, second = self._chance.sample(self._real, 2)
        words, others = first.text.split(), second.text.split()
        vector = first.vector + second.vector + self._numbers.normal(size=len(first.vector)) * _NOISE
        text = " ".join([*words[: len(words) // 2], *others[len(others) // 2 :]])
        return _Known(text, vector / np.linalg.norm(vector), first.codes)

    def _store(self, made: Sequence[_Known]) -> None:
        from capture.documents import COLLECTION
        from capture.models import Learning
        from memoryserver.embedding import Embedding
        from memoryserver.vectors.store import Item, PgVectorStore, embedding_digest

        rows = Learning.objects.bulk_create(
            Learning(**self._fields(known.text), embedded_digest=_digest(known.text)) for known in made
        )
        items = [
            Item(
                key=str(row.pk),
                text=known.text,
                created_at=_BORN,
                payload={"type": row.type, "source": row.source, "confidence": row.confidence},
                vector=Embedding(known.vector.tolist(), codes=known.codes),
                embedded_as=embedding_digest(self._model, known.text),
            )
            for row, known in zip(rows, made, strict=True)
        ]
        store = PgVectorStore(self._owner)
        store.ensure_collection(COLLECTION, model=self._model, dimension=len(made[0].vector))
        store.upsert(COLLECTION, items)

    def _fields(self, text: str) -> dict[str, Any]:
        born = {"first_seen": _BORN, "last_seen": _BORN}
        return (
            {"user": self._owner, "type": "learning", "content": text, "confidence": 0.9}
            | born
            | {"content_digest": _digest(text)}
        )


def questions() -> Iterator[str]:
    """Questions without end, each another one: those of the sets, then their words a little changed."""
    asked = [question.words for each in (memory(), chat(), *map(dialogue, NAMES)) for question in each.questions]
    random.Random(7).shuffle(asked)
    yield from asked
    for round_ in range(1, 10_000):
        for words in asked:
            yield f"{words} {round_}"


def _dialogues() -> list[Text]:
    return [text for name in NAMES for text in dialogue(name).texts]


def _text(text: Text) -> str:
    return text.text or ". ".join(text.fields.values())


def _embedded(service: Any, texts: Sequence[str]) -> Iterator[tuple[str, Any]]:
    return zip(texts, service.embed_batch(texts), strict=True)


def _digest(text: str) -> str:
    from hashlib import sha256

    return sha256(text.encode()).hexdigest()
