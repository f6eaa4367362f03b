"""Handler of tool calls posted by agents' hooks."""

from __future__ import annotations

import hashlib

from memoryserver.common import hook_event
from memoryserver.common.ids import uuid7
from memoryserver.hooks.handlers import Call, Handler
from trajectory import intake
from trajectory.local.calls import record as records
from trajectory.local.calls.row import row_of


def _handle(call: Call) -> str:
    """Store the call, run the observers, and return their text. Raises CallError if the event is not a tool call."""
    event = call.event
    # The transcript is a file on the agent's machine and must not be opened here.
    raw = {key: value for key, value in event.raw.items() if key != "transcript_path"}
    row = records.to_row(records.from_row(row_of(raw, root=call.root)))
    record = row | {"id": _call_id(str(row["tool_use_id"]))}
    return intake.receive(call.user, call.project, event.session_id, event.agent_id, [record]).tell


def _call_id(tool_use_id: str) -> str:
    """Return the agent's id of the call, by which a repeated call is recognised, or a new one."""
    if not tool_use_id:
        return str(uuid7())
    return tool_use_id if len(tool_use_id) <= intake.MAX_ID else hashlib.sha256(tool_use_id.encode()).hexdigest()


HANDLER = Handler("trajectory", frozenset({hook_event.TOOL_DONE, hook_event.TOOL_FAILED}), _handle)
