"""The result of a cycle of capture."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class ScanReport:
    """The result of one cycle. `known` counts learnings queued before; each of `problems` is one line.

    `bad_lines` counts damaged lines, `unknown_lines` undamaged ones without a message. `skipped` has a line for each
    file, folder or part of a file that was left out, unless an earlier scan has named it.
    """

    transcripts: int = 0
    changed: int = 0
    messages: int = 0
    learnings: int = 0
    known: int = 0
    compactions: int = 0
    bad_lines: int = 0
    unknown_lines: int = 0
    queued: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    folders: list[str] = field(default_factory=list)  # where agents worked since the last cycle
