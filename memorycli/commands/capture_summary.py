"""How `memory capture` says what was done."""

from __future__ import annotations

from capture.local.queue.processor import Processed
from capture.local.scanning.scanner import ScanReport

LOCK_TIMEOUT = 10.0  # seconds that a command waits for another that is at it


def count(number: int, one: str, many: str = "") -> str:
    """`number` with the word for it."""
    return f"{number} {one if number == 1 else many or one + 's'}"


def scanned(report: ScanReport) -> str:
    """A line on what a scan found."""
    if not report.transcripts:
        return "No transcripts found; name their folder with --root."
    found = f"{count(report.learnings, 'learning')} into {count(len(report.queued), 'queue file')}"
    return (
        f"{count(report.transcripts, 'transcript')}, {report.changed} with something new: "
        f"{count(report.messages, 'message')}, {found if report.learnings else 'no new learnings'}."
    )


def delivered(done: Processed) -> str:
    """A line on what became of the queue."""
    parts = [
        f"{count(done.delivered, 'queue file')} delivered, {count(done.stored, 'new learning')}, {done.known} known"
    ]
    if done.failed:
        parts.append(f"{done.failed} can never be stored (`memory capture failed` says why)")
    if done.waiting:
        parts.append(f"{done.waiting} waiting")
    return "; ".join(parts) + "."
