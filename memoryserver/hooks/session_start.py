"""The context of the project, given to each session once at its start."""

from __future__ import annotations

from memoryserver.common import hook_answer, hook_event, prompts
from memoryserver.context import service as contexts
from memoryserver.hooks.handlers import Call, Handler
from memoryserver.inquiries.models import Inquiry
from memoryserver.inquiries.records import record

_CONTINUED = ("resume", "fork", "compact")  # the model still has the context, or a summary of it
_DELIVERED = "told"  # key in the session's memory


def _session_context(call: Call) -> str:
    """Return the context at the session's start or first prompt, since some agent versions post no start event."""
    event = call.event
    if event.agent_id or not call.may_read or call.memory.get(_DELIVERED):
        return ""
    if event.name == hook_event.PROMPT and prompts.is_machine_made(event.text("prompt", prompts.MAX_READ)):
        return ""
    call.memory[_DELIVERED] = True
    if event.word("source") in _CONTINUED or call.project is None:
        return ""
    context = contexts.build_context(call.user, call.project.key)
    record(
        call.user,
        Inquiry.Kind.CONTEXT,
        Inquiry.Way.AGENT,
        "",
        context.text.count("\n- "),
        call.project.key,
        documents=context.documents,
        session=event.session_id,
    )
    return hook_answer.quoted_context(context.text, contexts.MAX_CHARS)


HANDLERS = (Handler("context", frozenset({hook_event.SESSION_START, hook_event.PROMPT}), _session_context),)
