"""ToolCallRecord: one tool call as the observers see it, and its form as a row of a trajectory's file."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

from memoryserver.common import clock
from memoryserver.common.light import dataclass, field
from trajectory.local import outcome as outcomes
from trajectory.local.calls import normalise, result_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


@dataclass(frozen=True)
class ToolCallRecord:
    """Record of a single tool invocation for trajectory analysis.

    `params_summary` and `error_message` are for display: redacted, bounded, lossy. Whether two calls or two
    results are the same is decided by `args_hash` and `result_hash`, which are "" where nothing is known.
    `call_index` counts from 1 within a session and (sub-)agent and is given by the keeper of the session;
    0 means not yet given. `outcome` (see `trajectory.local.outcome`) follows from `success` where it is not
    given. A timestamp without a zone is taken as UTC.
    """

    tool_name: str
    params_summary: str
    success: bool
    error_message: str | None = None
    timestamp: datetime = field(default_factory=clock.now)
    call_index: int = 0
    outcome: str = ""
    kind: str = ""  # what the tool does with files: write, read, search, command or other; "" is unknown
    paths: tuple[str, ...] = ()  # relative to the project where they lie in it
    args_hash: str = ""
    result_hash: str = ""
    result_size: int = 0  # characters
    tool_use_id: str = ""
    batch_id: str = ""  # calls of one batch were decided on together
    agent_id: str = ""
    duration_ms: int | None = None
    turn: str = ""  # the person's words that the call belongs to; other words, another attempt
    compactions: int = 0  # how often the agent's context had been compacted
    result_key: str = ""  # as result_hash, but times, durations and ids in a result do not count
    result_head: str = ""  # its beginning, for display
    says: str = ""  # what its text says: "failure", "success", "nothing" (see `trajectory.local.calls.result_text`)
    changes: bool = False  # whether it is known to have changed something
    looks: bool = False  # whether it is known to have read alone
    polls: bool = False  # whether it waits for something
    removes: tuple[str, ...] = ()  # the files that a shell command removed, as paths
    edits: tuple[tuple[str, str, str], ...] = ()  # path, hash of what was replaced, hash of the new text
    failures: int | None = None  # failed tests or build errors; None if the result is not such a report
    failing: str = ""  # a hash of their names
    error_key: str = ""  # what makes two errors the same
    tokens_used: int | None = None  # in the session so far, as the caller says
    cost_used: float | None = None  # the same in the budget's currency
    repeats: int = 0  # see `trajectory.local.calls.repeats`; 0 is not yet counted
    same: int = 1  # how often this call gave this result in the turn
    streak: int = 0  # failed decisions in a row up to this call
    streak_from: int = 0  # the call_index with which they began
    streak_batch: str = ""

    def __post_init__(self) -> None:
        if not self.outcome:
            object.__setattr__(self, "outcome", outcomes.OK if self.success else outcomes.ERROR)
        if self.timestamp.tzinfo is None:
            object.__setattr__(self, "timestamp", self.timestamp.replace(tzinfo=UTC))
        if not self.result_key and self.result_hash:
            object.__setattr__(self, "result_key", self.result_hash)
        if not self.error_key and self.failed and self.error_message:
            object.__setattr__(self, "error_key", normalise.error_key(self.error_message))

    @property
    def decision(self) -> str:
        """Return what the call was decided on with: calls of one batch share it."""
        return self.batch_id or f"#{self.call_index}"

    @property
    def went_wrong(self) -> bool:
        """Return whether it failed, or its result says so."""
        return self.failed or (self.says == result_text.FAILURE and self.outcome == outcomes.OK)

    @property
    def failed(self) -> bool:
        """Return whether the call counts as a failure of the agent."""
        return self.outcome == outcomes.ERROR

    @property
    def counts(self) -> bool:
        """Return whether the call says anything about the agent; a rejected or cancelled one does not."""
        return self.outcome not in outcomes.NEUTRAL


_FIELDS = frozenset(ToolCallRecord.__match_args__)  # those of a dataclass, in their order


def to_row(record: ToolCallRecord) -> dict[str, Any]:
    """Return the record as a JSON object, its fields by their names, the time as ISO 8601 with `Z`."""
    row = {name: getattr(record, name) for name in _FIELDS}
    lists = {
        "paths": list(record.paths),
        "removes": list(record.removes),
        "edits": [list(edit) for edit in record.edits],
    }
    return row | lists | {"timestamp": clock.to_text(record.timestamp)}


def from_row(row: Mapping[str, Any]) -> ToolCallRecord:
    """Return the record of a row; unknown keys are ignored. Raises ValueError for what is not a row."""
    known = {name: value for name, value in row.items() if name in _FIELDS}
    if str(known.get("result_key", "")).startswith("[redacted:"):  # as releases up to 0.1.0 send it, which is no result
        known["result_key"] = known.get("result_hash", "")
    try:
        known["timestamp"] = clock.from_text(known["timestamp"])
        known["paths"] = tuple(map(str, known.get("paths") or ()))
        known["removes"] = tuple(map(str, known.get("removes") or ()))
        known["edits"] = tuple((str(path), str(old), str(new)) for path, old, new in known.get("edits") or ())
        record = ToolCallRecord(**known)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ValueError(f"not a row of a trajectory: {error}") from None
    if not isinstance(record.tool_name, str) or record.outcome not in outcomes.OUTCOMES:
        raise ValueError(f"not a row of a trajectory: {record.outcome!r} is not an outcome")
    return record
