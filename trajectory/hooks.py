"""Handler of tool calls, prompts, and the ends of sessions and sub-agents, posted by agents' hooks."""

from __future__ import annotations

import hashlib
import logging
from typing import Any

from django.utils import timezone

from memoryserver.common import hook_event, prompts
from memoryserver.common.ids import uuid7
from memoryserver.hooks.handlers import Call, Handler
from memoryserver.statements.guard import Guard
from trajectory import ending, intake, quick
from trajectory.local.calls import record as records
from trajectory.local.calls.parse import CallError
from trajectory.local.calls.row import row_of

logger = logging.getLogger(__name__)

_ENDS = (hook_event.SESSION_END, hook_event.SUBAGENT_STOP)
_AROUND_COMPACTION = (hook_event.BEFORE_COMPACTION, hook_event.SESSION_START)
_TOOL = (hook_event.TOOL_DONE, hook_event.TOOL_FAILED)
_EVENTS = (*_TOOL, hook_event.PROMPT, *_AROUND_COMPACTION, *_ENDS)
_PROMPTS = "prompts"  # key in the session's memory: how many turns have begun
_COMPACTIONS = "compactions"  # how often the context was compacted
_TITLE = "title"  # the first prompt, redacted and cut
_CALLED = "called"  # and whether a call was made in the present one


def _handle(call: Call) -> str:
    """Store the call, run the observers, and return their text; at an end, end the session, and return "".

    A prompt of a person begins a turn, which the calls after it belong to unless their events name another. A call
    that comes again, as from hooks that are installed twice, is answered with "". A tool's event that is not a tool
    call is logged in one line and not stored: the agent can do nothing about it.
    """
    event = call.event
    if event.name in _ENDS:
        if event.name == hook_event.SESSION_END or event.agent_id:
            ending.end(call.user, event.session_id, event.agent_id, timezone.now())
        return ""
    if event.name in _AROUND_COMPACTION:
        if event.name == hook_event.BEFORE_COMPACTION or event.word("source") == "compact":
            call.memory[_COMPACTIONS] = call.memory.get(_COMPACTIONS, 0) + 1
        return ""
    if event.name == hook_event.PROMPT:
        _begin_turn(call)
        return ""
    try:
        record = _record(call)
    except CallError as error:
        logger.warning("an event of a tool was not stored", extra={"hook_event": event.name, "reason": str(error)})
        return ""
    call.memory[_CALLED] = True
    session = event.session_id, event.agent_id
    about = intake.About(_title(call))
    received = intake.receive(call.user, call.project, *session, [record], in_answer=call.may_read, about=about)
    return received.tell if received.results[0].status == "stored" else ""


def _quick(call: Call, guard: Guard) -> str | None:
    """Store a call after which the agent is told nothing, as most are; None if it is to be handled."""
    if call.event.name not in _TOOL or not call.memory.get(_CALLED):
        return None
    try:
        record = _record(call)
    except CallError:
        return None
    return "" if quick.receive(call, record, _title(call), guard) else None


def _title(call: Call) -> str:
    """Return the session's first prompt, of a sub-agent its type."""
    return call.event.text("agent_type", prompts.MAX_TITLE) if call.event.agent_id else call.memory.get(_TITLE, "")


def _record(call: Call) -> dict[str, Any]:
    """Return the call's record with its id. Raises CallError if the event is not a tool call."""
    # The transcript is a file on the agent's machine and must not be opened here.
    raw = {key: value for key, value in call.event.raw.items() if key != "transcript_path"}
    row = records.to_row(records.from_row(row_of(raw, root=call.root)))
    record = row | {"id": _call_id(str(row["tool_use_id"])), "turn": row["turn"] or _turn(call)}
    record["compactions"] = call.memory.get(_COMPACTIONS, 0)
    return record


def _begin_turn(call: Call) -> None:
    """Count the prompt, if a person has written it and a call was made since the last one.

    Without a call in between it makes no difference, and may be the same event once more.
    """
    text = call.event.text("prompt", prompts.MAX_READ)
    if call.event.agent_id or prompts.is_machine_made(text):
        return
    call.memory.setdefault(_TITLE, prompts.title_of(text))
    if not call.memory.pop(_CALLED, False):
        return
    call.memory[_PROMPTS] = call.memory.get(_PROMPTS, 0) + 1


def _turn(call: Call) -> str:
    """Return the turn of a call whose event names no prompt, as before version 2.1.196 of Claude Code."""
    count = call.memory.get(_PROMPTS, 0)
    return f"prompt {count}" if count else ""


def _call_id(tool_use_id: str) -> str:
    """Return the agent's id of the call, by which a repeated call is recognised, or a new one."""
    if not tool_use_id:
        return str(uuid7())
    return tool_use_id if len(tool_use_id) <= intake.MAX_ID else hashlib.sha256(tool_use_id.encode()).hexdigest()


HANDLER = Handler("trajectory", frozenset(_EVENTS), _handle, quick=_quick)
