"""Capture's jobs. Their dotted names are stored in the queue and in schedules: never rename one."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from capture import documents, server
from capture.judge import judging
from capture.merging import duplicates
from capture.models import Learning
from memoryserver.embedding import service
from memoryserver.vectors import backlog


def embed_pending() -> int:
    """Embed every learning that is due and return how many.

    Raises EmbeddingModelError if the model cannot be loaded.
    """
    pending = Learning.objects.select_related("user", "project")
    if not pending.filter(Learning.pending()).exists():
        return 0
    if not backlog.can_embed(service()):
        return 0
    return backlog.drain(pending, _embed)


def merge_duplicates() -> int:
    """Merge learnings that say the same and return how many."""
    return duplicates.merge_pending()


def judge_candidates() -> int:
    """Have the judge, if configured, judge learnings and return how many got a verdict."""
    return judging.judge_pending()


def _embed(rows: Sequence[Learning]) -> None:
    ordered = sorted(rows, key=lambda row: (row.user_id, row.project_id or 0))
    for _, group in groupby(ordered, key=lambda row: (row.user_id, row.project_id)):
        owned = list(group)
        documents.embed(owned[0].user, owned[0].project, owned, service())


def scan_transcripts() -> int:
    """Capture the transcripts on the server, if configured, and return how many learnings were found."""
    return server.scan_transcripts()


def process_queue() -> int:
    """Store the queue files of such captures and return how many learnings were new."""
    return server.process_queue()
