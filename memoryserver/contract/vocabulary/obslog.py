"""Words of the observation log."""

from __future__ import annotations

from typing import Any

FIELDS: dict[str, tuple[str, Any]] = {
    "after_date": ("only observations from then on, in Unix milliseconds", 1768485900000),
    "before_date": ("only observations before then, in Unix milliseconds", 1768572300000),
    "NewObservationIn.created_at": ("when it was made, in Unix milliseconds; by default now", 1768485900000),
    "ObservationOut.created_at": (
        "when it was made, in Unix milliseconds, as the log's formatter writes it",
        1768485900000,
    ),
    "data": ("any JSON value that belongs to it", {"attempt": 2}),
    "max_chars": ("the most characters of the answer; the oldest are left out", 10000),
    "message": ("what happened, in one line", "the deployment failed"),
    "observations": (
        "the observations",
        [{"type": "deploy.failed", "source": "agent:claude", "message": "the deployment failed"}],
    ),
    "offset": ("how many of the first observations to leave out", 0),
    "order": ("the order: `desc` has the newest first, `asc` the oldest", "desc"),
    "scope_ids": ("ids that the observation is about: a task, an agent, a file", ["task:42"]),
    "NewObservationIn.source": ("who says it, such as `agent:claude`", "agent:claude"),
    "ObservationOut.source": ("who says it, such as `agent:claude`", "agent:claude"),
    "ObservationQuery.source": ("who says it, such as `agent:claude`", "agent:claude"),
    "RecentQuery.source": ("who says it, such as `agent:claude`", "agent:claude"),
    "NewObservationIn.type": ("what happened, as a dotted name", "deploy.failed"),
    "ObservationOut.type": ("what happened, as a dotted name", "deploy.failed"),
    "ObservationQuery.type": ("what happened, as a dotted name", "deploy.failed"),
    "RecentQuery.type": ("what happened, as a dotted name", "deploy.failed"),
}
