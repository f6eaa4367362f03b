"""Tool calls straight from agents' hooks: recorded and looked at as those that laptops send."""

from __future__ import annotations

import hashlib

from memoryserver.common import hook_event
from memoryserver.common.ids import uuid7
from memoryserver.hooks.handlers import Call, Handler
from trajectory import intake
from trajectory.local.calls import parse
from trajectory.local.calls import record as records


def _take(call: Call) -> str:
    """What the observers want said now. Raises CallError for an event that holds no tool call."""
    event = call.event
    # The transcript is a file of the agent's machine; here its name must open nothing.
    raw = {key: value for key, value in event.raw.items() if key != "transcript_path"}
    row = records.to_row(records.from_row(parse.row_of(raw, root=call.root)))
    record = row | {"id": _id_of(str(row["tool_use_id"]))}
    return intake.receive(call.user, call.project, event.session_id, event.agent_id, [record]).tell


def _id_of(tool_use_id: str) -> str:
    """The agent's own id of the call, by which it is known when it comes again."""
    if not tool_use_id:
        return str(uuid7())
    return tool_use_id if len(tool_use_id) <= intake.MAX_ID else hashlib.sha256(tool_use_id.encode()).hexdigest()


HANDLER = Handler("trajectory", frozenset({hook_event.TOOL_DONE, hook_event.TOOL_FAILED}), _take)
