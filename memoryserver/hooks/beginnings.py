"""What a session is told when it begins: the context of its project, once."""

from __future__ import annotations

from memoryserver.common import hook_answer, hook_event, prompts
from memoryserver.context import service as contexts
from memoryserver.hooks.handlers import Call, Handler

_HEAD = "What the team's memory holds on this project."
_CONTINUED = ("resume", "fork", "compact")  # the model still has what it was told, or a summary of it
_TOLD = "told"


def _begin(call: Call) -> str:
    """Told at the start, or with the first prompt of a person: some versions of agents post no start."""
    event = call.event
    if event.agent_id or call.memory.get(_TOLD):
        return ""
    if event.name == hook_event.PROMPT and prompts.is_machine_made(event.text("prompt", prompts.MAX_READ)):
        return ""
    call.memory[_TOLD] = True
    if event.word("source") in _CONTINUED or call.project is None:
        return ""
    context = contexts.context_of(call.user, call.project.key)
    return hook_answer.quoted(_HEAD, context.text, contexts.MAX_CHARS)


HANDLERS = (Handler("context", frozenset({hook_event.SESSION_START, hook_event.PROMPT}), _begin),)
