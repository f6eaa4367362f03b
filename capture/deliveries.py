"""What arrives for the sink: queue files and single learnings, and what is said of one that was stored."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from capture.belief.sources import Source
from capture.statements.withdrawals import Withdrawal


@dataclass(frozen=True)
class IncomingLearning:
    """One learning of a queue file; `time` is that of its message, None if unknown.

    `source` is None from clients that do not send it: see `belief.sources`. `quote` are the lines of the message around
    the learning.
    """

    type: str
    content: str
    confidence: float
    source_message_index: int
    source_message_uuid: str = ""
    reasons: Sequence[str] = ()
    files: Sequence[str] = ()
    tools: Sequence[str] = ()
    time: datetime | None = None
    source: Source | None = None
    quote: str = ""


@dataclass(frozen=True)
class IncomingCapture:
    """One queue file."""

    capture_id: uuid.UUID
    context_id: str
    captured_at: datetime
    message_range: tuple[int, int]
    compaction_number: int
    learnings: Sequence[IncomingLearning]
    metadata: dict[str, Any] = field(default_factory=dict)
    withdrawn: Sequence[Withdrawal] = ()


@dataclass(frozen=True)
class StoreResult:
    """The number of new learnings and of known ones; `duplicate` if the queue file was stored before.

    Deleted learnings count as known.
    """

    stored: int
    known: int
    duplicate: bool
