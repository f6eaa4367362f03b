"""The report on one channel of `memory sync`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from memoryserver.client.delivery import Report

NOTHING_NEW = "nothing new"


@dataclass(frozen=True)
class ChannelReport:
    """A line for people, further lines about single items, and whether everything was accepted.

    `offline` is true where the server cannot be reached: the channels after it are then not tried. `retry_after` is
    how many seconds the server asked to wait. `routine` is true of what every sync does and nobody needs to read.
    """

    line: str
    details: tuple[str, ...] = ()
    complete: bool = True
    offline: bool = False
    retry_after: float = 0.0
    routine: bool = False

    @property
    def has_news(self) -> bool:
        """True if anything was sent, set aside or left waiting, or is to be read by a person."""
        return self.line != NOTHING_NEW and not self.routine

    def as_json(self) -> dict[str, Any]:
        """Return what `memory sync --json` prints."""
        return {name: getattr(self, name) for name in ("line", "details", "complete", "offline")}


def of(
    report: Report,
    *,
    failed: int | None = None,
    waiting: str = "",
    more: tuple[str, ...] = (),
    details: tuple[str, ...] = (),
) -> ChannelReport:
    """Return the report of a delivery.

    `waiting` is what waits while the server is away, `failed` how many are set aside if that is not the number of this
    delivery; `more` are further parts of the line.
    """
    failed = report.failed if failed is None else failed
    parts = [f"{report.sent} sent" if report.sent else NOTHING_NEW]
    if failed:
        parts.append(f"{failed} failed and kept (send them again with --retry-failed)")
    if report.later and not report.unreachable:
        parts.append(f"the rest waits: {report.later}")
    line = ", ".join((*parts, *more))
    if report.unreachable:
        line = f"offline{f', {waiting} wait' if waiting else ''}: {report.later}"
    complete = not failed and not report.later
    return ChannelReport(line, details, complete, report.unreachable, report.retry_after)
