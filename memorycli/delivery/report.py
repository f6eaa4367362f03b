"""What became of one part of `memory sync`."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class PartReport:
    """A line, further lines about single things, whether all of it was taken.

    `offline` says why the server could not be reached: the parts after it are then not tried.
    """

    line: str
    details: tuple[str, ...] = ()
    complete: bool = True
    offline: bool = False
