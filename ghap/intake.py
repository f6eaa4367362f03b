"""Receiving of entries sent by clients."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from django.db import connection, transaction
from django.utils import timezone

from ghap.axes import resolved
from ghap.local import GHAPEntry
from ghap.local.entry import compute_confidence_tier
from ghap.local.resolution import kebab
from ghap.models import Entry, OpenEntry
from ghap.persister import ObservationPersister
from memoryserver.accounts.models import Project, User
from memoryserver.embedding import service
from memoryserver.jobs import enqueue
from memoryserver.reported_times import credible
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
    results = [_parse(body) for body in bodies]
    with transaction.atomic():
        _lock(user)
        ids = {result.id for result in results if isinstance(result, GHAPEntry)}
        rows = {row.ghap_id: row for row in Entry.objects.filter(user=user, ghap_id__in=ids)}
        digests = {key: row.content_digest for key, row in rows.items()}
        changed: dict[str, GHAPEntry] = {}
        receipts = [_compare(result, project, digests, changed) for result in results]
        if changed:
            # Texts before entries, as the job that embeds writes them: in another order the two could deadlock.
            ObservationPersister(service(), PgVectorStore(user, project)).stage(list(changed.values()))
            for key, entry in sorted(changed.items()):
                _save(rows.get(key) or Entry(user=user, ghap_id=key), entry, project, digests[key])
            OpenEntry.objects.filter(user=user, ghap_id__in=changed).delete()
            enqueue(PERSIST_JOB)
    return receipts


def _lock(user: User) -> None:
    """Lock the entries of `user` until the transaction ends: the same new entry may be sent twice at once."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended('entries of ' || %s, 0))", [str(user.pk)])


def _parse(body: dict[str, Any]) -> GHAPEntry | Receipt:
    """Return the entry in `body`, its tier and category as the rules give them; a receipt where it is refused."""
    try:
        entry = GHAPEntry.from_dict(body)
        resolved(entry)
        if entry.root_cause is not None:
            entry.root_cause = replace(entry.root_cause, category=kebab(entry.root_cause.category))
        return replace(entry, confidence_tier=compute_confidence_tier(entry))
    except ValueError as error:
        return Receipt(str(body.get("id", ""))[:100], "refused", str(error))


def _compare(
    result: GHAPEntry | Receipt, project: Project | None, digests: dict[str, str], changed: dict[str, GHAPEntry]
) -> Receipt:
    """Return the receipt for an entry; one that differs from the digest by id is added to `changed`."""
    if isinstance(result, Receipt):
        return result
    digest = _digest(result, project)
    if digests.get(result.id) == digest:
        return Receipt(result.id, "unchanged")
    digests[result.id], changed[result.id] = digest, result
    return Receipt(result.id, "stored")


def _save(row: Entry, entry: GHAPEntry, project: Project | None, digest: str) -> None:
    outcome = resolved(entry)
    row.project = project
    row.session_id = entry.session_id
    row.agent_session = (entry.agent_session or "")[:200]
    received_at = row.received_at or timezone.now()
    row.created_at = credible(entry.created_at, received_at)  # `body` has the times of the laptop
    row.captured_at = credible(outcome.captured_at, received_at)
    row.domain = entry.domain.value
    row.strategy = entry.strategy.value
    row.outcome_status = outcome.status.value
    row.iteration_count = entry.iteration_count
    row.collector_tier = row.confidence_tier = compute_confidence_tier(entry).value
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
