"""Searching for observations in tests, with an embedding that can be made to fail."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from memoryserver.accounts.models import User
from memoryserver.embedding import Vector
from memoryserver.search.service import Search, search
from obslog import jobs
from obslog.models import Unembedded
from tests.support.embedder import WordEmbedder


def found(user: User, query: str, **narrowed: Any) -> list[str]:
    return sorted(hit.text for hit in search(user, Search(query, source="observations", **narrowed)).hits)


def failing(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    """From now on embedding any text with `poison` in it ends in `error`."""

    class Failing(WordEmbedder):
        def embed_batch(self, texts: Sequence[str]) -> list[Vector]:
            if any("poison" in text for text in texts):
                raise error
            return super().embed_batch(texts)

    monkeypatch.setattr(jobs, "service", Failing)


def make_due() -> None:
    """As if the pause were over."""
    Unembedded.objects.exclude(embed_after=None).update(embed_after=timezone.now() - timedelta(seconds=1))
