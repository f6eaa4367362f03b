"""Assessment of the hypotheses of stored entries; poor ones get the tier bronze."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from django.db import transaction
from django.db.models import QuerySet

from ghap.likeness import likenesses
from ghap.local import ConfidenceTier, OutcomeStatus
from ghap.models import Entry
from ghap.persister import persist_rows
from ghap.quality import VERSION, Assessment, Statement, assess, in_doubt
from memoryserver.embedding import EmbeddingService
from memoryserver.vectors import backlog
from obslog.emit import emit

_BATCH = 100


def assess_rows(rows: Sequence[Entry], embedding_service: EmbeddingService) -> list[Entry]:
    """Assess `rows`, store score, reasons and tier, and return the rows whose tier changed.

    Doubtful statements are embedded in one batch. A row whose content changed meanwhile is skipped; it is assessed when
    it is persisted. Raises EmbeddingModelError.
    """
    before = {row.pk: row.confidence_tier for row in rows}
    for row, assessment in zip(rows, _assessments(rows, embedding_service), strict=True):
        row.quality_score = assessment.score
        row.quality_reasons = [asdict(reason) for reason in assessment.reasons]
        row.quality_version = VERSION
        row.confidence_tier = _tier(row, assessment)
        Entry.objects.filter(pk=row.pk, content_digest=row.content_digest).update(
            quality_score=row.quality_score,
            quality_reasons=row.quality_reasons,
            quality_version=row.quality_version,
            confidence_tier=row.confidence_tier,
        )
    return [row for row in rows if row.confidence_tier != before[row.pk]]


def assess_outdated(embedding_service: EmbeddingService, *, everything: bool = False, limit: int | None = None) -> int:
    """Assess persisted entries that were assessed by older rules, or `everything`, and return their number.

    Processes at most `limit` entries in batches that are committed one by one, so an interrupted run can be resumed.
    Raises EmbeddingModelError and VectorStoreError.
    """
    rows = Entry.objects.exclude(Entry.pending())
    if not everything:
        rows = rows.filter(quality_version__lt=VERSION)
    assessed, last = 0, 0
    while limit is None or assessed < limit:
        batch = _BATCH if limit is None else min(_BATCH, limit - assessed)
        keys = list(rows.filter(pk__gt=last).order_by("pk").values_list("pk", flat=True)[:batch])
        if not keys:
            break
        assessed, last = assessed + _assess_batch(rows.filter(pk__in=keys), embedding_service), keys[-1]
    return assessed


@transaction.atomic
def _assess_batch(rows: QuerySet[Entry], embedding_service: EmbeddingService) -> int:
    batch = list(rows.select_for_update(of=("self",)).select_related("user", "project").order_by("pk"))
    persist_rows(assess_rows(batch, embedding_service), embedding_service)
    return len(batch)


def _assessments(rows: Sequence[Entry], embedding_service: EmbeddingService) -> list[Assessment]:
    statements = [Statement.of(row.entry) for row in rows]
    doubtful = [statement for statement in statements if in_doubt(statement)]
    pairs = [(statement.hypothesis, statement.prediction) for statement in doubtful]
    scores = dict(zip(doubtful, likenesses(embedding_service, pairs) if pairs else [], strict=True))
    return [assess(statement, scores.get(statement, 0.0)) for statement in statements]


def _tier(row: Entry, assessment: Assessment) -> str:
    """Return the collector's tier, or bronze for poor hypotheses of entries that were not abandoned.

    What a person says is not poor keeps its tier.
    """
    if assessment.poor and row.not_poor_by_id is None and row.outcome_status != OutcomeStatus.ABANDONED.value:
        return ConfidenceTier.BRONZE.value
    return row.collector_tier


def persist_pending(embedder: EmbeddingService) -> int:
    """Persist and assess every entry that is due and return how many; 0 while there is nothing to embed with.

    Raises EmbeddingModelError if the model cannot be loaded.
    """
    return backlog.embed_due(Entry.objects.select_related("user", "project"), embedder, _persist)


def _persist(embedder: EmbeddingService, rows: Sequence[Entry]) -> None:
    """Persist and assess `rows`, and record each in the observation log."""
    persist_rows(rows, embedder)
    persist_rows(assess_rows(rows, embedder), embedder)
    existing = set(Entry.objects.filter(pk__in=[row.pk for row in rows]).values_list("pk", flat=True))
    for row in rows:
        if row.pk not in existing:
            continue
        emit(
            row.user,
            type="ghap.persisted",
            source="system:persister",
            message=f"persisted {row.ghap_id} ({_outcome(row)})",
            data={"ghap_id": row.ghap_id, "strategy": row.strategy, "domain": row.domain},
            scope_ids=[row.ghap_id, row.session_id],
            project=row.project_id,
        )


def _outcome(row: Entry) -> str:
    """Return the outcome in words, for one that was corrected also what it was before."""
    earlier = row.entry.earlier_outcomes
    return f"{row.outcome_status}, corrected from {earlier[-1].status.value}" if earlier else row.outcome_status
