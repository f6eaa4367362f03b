"""Token codes of records that were embedded without: before an update, or by a service that tells no tokens."""

from __future__ import annotations

import time

from django.db import transaction
from django.db.models import QuerySet

from memoryserver.embedding import Embedding, EmbeddingService
from memoryserver.vectors.models import Collection, Record
from memoryserver.vectors.store import write_codes

BATCH = 128


def complete(service: EmbeddingService, seconds: float) -> int:
    """Write the missing codes of the texts whose vectors are of `service`'s model and return their number.

    After `seconds` no batch is started. Does nothing if the service tells no tokens. Raises EmbeddingModelError.
    """
    deadline = time.monotonic() + seconds
    names = list(Collection.objects.filter(model=service.model_name).values_list("name", flat=True))
    written, last = 0, 0
    while time.monotonic() < deadline:
        batch = list(_missing(names).filter(pk__gt=last).order_by("pk").values_list("pk", "text")[:BATCH])
        if not batch:
            break
        last = batch[-1][0]
        vectors = service.embed_batch([text for _, text in batch])
        if not all(isinstance(vector, Embedding) and vector.codes for vector in vectors):
            break
        with transaction.atomic():
            locked = Record.objects.select_for_update(no_key=True, of=("self",)).filter(pk__in=[pk for pk, _ in batch])
            texts = dict(locked.values_list("pk", "text"))  # some may have changed meanwhile, or be gone
            unchanged = {pk: vector for (pk, text), vector in zip(batch, vectors, strict=True) if texts.get(pk) == text}
            write_codes(unchanged)
        written += len(unchanged)
    return written


def _missing(names: list[str]) -> QuerySet[Record]:
    return Record.objects.filter(collection__in=names, embedding__isnull=False, token_codes=None)
