"""Capture's jobs. Their dotted names are stored in the queue and in schedules: never rename one."""

from __future__ import annotations

from capture import documents, server
from capture.judge import judging
from capture.merging import duplicates
from memoryserver.embedding import service


def embed_pending() -> int:
    """Embed every learning that is due and return how many.

    Raises EmbeddingModelError if the model cannot be loaded.
    """
    return documents.embed_pending(service())


def merge_duplicates() -> int:
    """Merge learnings that say the same and return how many."""
    return duplicates.merge_pending()


def judge_candidates() -> int:
    """Have the judge, if configured, judge learnings and return how many got a verdict."""
    return judging.judge_pending()


def scan_transcripts() -> int:
    """Capture the transcripts on the server, if configured, and return how many learnings were found."""
    return server.scan_transcripts()


def process_queue() -> int:
    """Store the queue files of such captures and return how many learnings were new."""
    return server.process_queue()
