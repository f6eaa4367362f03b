"""Receiving of entries sent by clients."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from django.db import transaction

from ghap.axes import resolved
from ghap.local import GHAPEntry
from ghap.models import Entry
from ghap.persister import ObservationPersister
from memoryserver.accounts.models import Project, User
from memoryserver.embedding import service
from memoryserver.jobs import enqueue
from memoryserver.vectors.store import PgVectorStore

PERSIST_JOB = "ghap.jobs.persist_pending"


@dataclass(frozen=True)
class Receipt:
    """The result for one entry that was sent; `reason` only if it was refused."""

    id: str
    status: Literal["stored", "unchanged", "refused"]
    reason: str | None = None


def receive(user: User, project: Project | None, bodies: Sequence[dict[str, Any]]) -> list[Receipt]:
    """Store `bodies` (entries as JSON objects) and return the result for each, in order.

    Invalid and unresolved entries are refused without affecting the others. An entry sent again with the same content
    changes nothing; with other content it replaces the stored one and is embedded again. Everything is in one
    transaction, and the rows are the queue of the job that embeds, so an entry that was confirmed is never lost.
    """
    receipts = []
    changed: dict[str, GHAPEntry] = {}
    with transaction.atomic():
        for body in bodies:
            receipt, entry = _receive_one(user, project, body)
            receipts.append(receipt)
            if entry is not None:
                changed[entry.id] = entry
        if changed:
            ObservationPersister(service(), PgVectorStore(user, project)).stage(list(changed.values()))
            enqueue(PERSIST_JOB)
    return receipts


def _receive_one(user: User, project: Project | None, body: dict[str, Any]) -> tuple[Receipt, GHAPEntry | None]:
    shown_id = str(body.get("id", ""))[:100]
    try:
        entry = GHAPEntry.from_dict(body)
        resolved(entry)
    except ValueError as error:
        return Receipt(shown_id, "refused", str(error)), None
    digest = _digest(entry, project)
    row = Entry.objects.select_for_update().filter(user=user, ghap_id=entry.id).first()
    if row is not None and row.content_digest == digest:
        return Receipt(entry.id, "unchanged"), None
    _save(row or Entry(user=user, ghap_id=entry.id), entry, project, digest)
    return Receipt(entry.id, "stored"), entry


def _save(row: Entry, entry: GHAPEntry, project: Project | None, digest: str) -> None:
    outcome = resolved(entry)
    row.project = project
    row.session_id = entry.session_id
    row.created_at = entry.created_at
    row.captured_at = outcome.captured_at
    row.domain = entry.domain.value
    row.strategy = entry.strategy.value
    row.outcome_status = outcome.status.value
    row.iteration_count = entry.iteration_count
    row.collector_tier = row.confidence_tier = entry.confidence_tier.value if entry.confidence_tier else ""
    row.quality_score, row.quality_reasons, row.quality_version = None, [], 0
    row.goal = entry.goal
    row.body = entry.to_dict()
    row.content_digest = digest
    row.embed_attempts = 0
    row.embed_after = None
    row.save()


def _digest(entry: GHAPEntry, project: Project | None) -> str:
    content = json.dumps([project.pk if project else None, entry.to_dict()], sort_keys=True)
    return hashlib.sha256(content.encode()).hexdigest()
