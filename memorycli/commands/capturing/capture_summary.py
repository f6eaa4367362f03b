"""Summaries of what `memory capture` did."""

from __future__ import annotations

from capture.local.queue.processor import Processed
from capture.local.scanning.scan_report import ScanReport
from memoryserver.common.counted import counted
from memoryserver.common.text import one_line, readable

_MOST_SKIPPED = 10
LOCK_TIMEOUT = 10.0  # seconds to wait for another process that scans


def scan_summary(report: ScanReport) -> str:
    """Return the result of a scan as a line, and a line for each of the first files that it left out."""
    learnings = f"{counted(report.learnings, 'learning')} into {counted(len(report.queued), 'queue file')}"
    summary = (
        f"{counted(report.transcripts, 'transcript')}, {report.changed} with something new: "
        f"{counted(report.messages, 'message')}, {learnings if report.learnings else 'no new learnings'}."
        if report.transcripts
        else "No transcripts found; name their folder with --root."
    )
    skipped = [f"skipped    {one_line(readable(line))}" for line in report.skipped[:_MOST_SKIPPED]]
    if report.skipped[_MOST_SKIPPED:]:
        skipped.append(f"skipped    {len(report.skipped) - _MOST_SKIPPED} more (memory doctor lists them)")
    return "\n".join([summary, *skipped])


def delivery_summary(result: Processed) -> str:
    """Return the result of a pass over the queue as a line."""
    files, learnings = counted(result.delivered, "queue file"), counted(result.stored, "new learning")
    parts = [f"{files} delivered, {learnings}, {result.known} known"]
    if result.failed:
        parts.append(f"{result.failed} failed (see: memory capture failed)")
    if result.waiting:
        parts.append(f"{result.waiting} waiting")
    return "; ".join(parts) + "."
