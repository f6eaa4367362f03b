"""Learnings out of what agents' hooks tell: prompts of people and final messages of agents.

The same extractor, redaction and sink as for transcripts. Where a laptop captures the transcript too, what both find
is one learning, for it has one wording.
"""

from __future__ import annotations

import hashlib
import uuid
from typing import Any

from django.utils import timezone

from capture import compactions, sink
from capture.local.extraction.extractor import IncrementalExtractor
from capture.local.transcripts.discovery import safe_id
from capture.local.transcripts.messages import Kind, Message, Role
from capture.local.transcripts.wrappers import own_words
from capture.models import Compaction
from memoryserver.common import hook_event, prompts
from memoryserver.common.redaction import redact
from memoryserver.hooks.handlers import Call, Handler

MAX_MESSAGE = 200_000  # characters
_NAMESPACE = uuid.UUID("6c1f7d0e-2a3b-4c5d-8e9f-0a1b2c3d4e5f")
_REMEMBERED = 50  # messages by which a repeated event is known
_FINAL = (hook_event.STOP, hook_event.SUBAGENT_STOP)
_SAME_COMPACTION_SECONDS = 30


def _take(call: Call) -> str:
    """Keep what the message teaches; nothing is said to the agent."""
    if call.event.name == hook_event.BEFORE_COMPACTION:
        _note_compaction(call)
        return ""
    said = _said(call)
    mark = hashlib.sha256(f"{call.event.name}\0{said}".encode()).hexdigest()[:24]
    seen: list[str] = list(call.memory.get("seen", []))
    if not said or mark in seen:
        return ""
    index = int(call.memory.get("index", 0)) + 1
    extractor = IncrementalExtractor(call.memory.get("extractor"))
    found = extractor.extract([_message(call, said, index, mark)])
    call.memory.update(index=index, seen=[*seen, mark][-_REMEMBERED:], extractor=extractor.memory)
    if found:
        learnings = [sink.IncomingLearning(**learning.to_dict()) for learning in found]
        sink.store(call.user, call.project, _capture(call, index, learnings, extractor.redacted))
    return ""


def _said(call: Call) -> str:
    """A person's or an agent's own words, "" where the agent's program made the message."""
    event = call.event
    if event.name in _FINAL:
        return own_words(event.text("last_assistant_message", MAX_MESSAGE)).strip()
    prompt = event.text("prompt", MAX_MESSAGE)
    return "" if event.agent_id or prompts.is_machine_made(prompt) else own_words(prompt).strip()


def _message(call: Call, said: str, index: int, mark: str) -> Message:
    role = Role.AGENT if call.event.name in _FINAL else Role.PERSON
    return Message(
        index=index,
        role=role,
        kind=Kind.WORDS,
        uuid=f"hook-{mark}",
        text=said,
        cwd=call.event.path("cwd"),
        agent=call.event.agent_id,
        session=call.event.session_id,
    )


def _capture(
    call: Call, index: int, learnings: list[sink.IncomingLearning], redacted: dict[str, int]
) -> sink.IncomingCapture:
    event = call.event
    context_id = safe_id("-".join(filter(None, [event.agent, event.session_id, event.agent_id, "hooks"])))
    described: dict[str, Any] = {
        "agent": event.word("agent_type") or ("sub-agent" if event.agent_id else "main"),
        "agent_kind": event.agent,
        "session_id": event.session_id,
        "project": call.project.key if call.project else "",
        "cwd": redact(event.path("cwd")).text,
        "redacted": redacted,
    }
    return sink.IncomingCapture(
        capture_id=uuid.uuid5(_NAMESPACE, f"{context_id}/{index}"),
        context_id=context_id,
        captured_at=timezone.now(),
        message_range=(index, index),
        compaction_number=0,
        learnings=learnings,
        metadata=described,
    )


def _note_compaction(call: Call) -> None:
    """For the figures. The event has no id: what comes again within moments is the same one."""
    now = timezone.now()
    before = call.memory.get("compacted_at", 0)
    if call.event.agent_id or 0 <= now.timestamp() - before < _SAME_COMPACTION_SECONDS:
        return
    call.memory["compacted_at"] = now.timestamp()
    stem = call.event.path("transcript_path").replace("\\", "/").rpartition("/")[2].removesuffix(".jsonl")
    trigger = call.event.word("trigger")
    told = compactions.ToldCompaction(
        id=uuid.uuid4(),
        context_id=safe_id(f"{call.event.agent}-{stem or call.event.session_id}"),
        trigger=trigger if trigger in Compaction.Trigger.values else Compaction.Trigger.DETECTED,
        happened_at=now,
    )
    compactions.receive(call.user, call.project, told)


HANDLER = Handler("capture", frozenset({hook_event.PROMPT, *_FINAL, hook_event.BEFORE_COMPACTION}), _take)
