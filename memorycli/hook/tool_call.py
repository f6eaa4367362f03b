"""After a tool call: it is recorded, the observers look, and an active entry of the journal gets its due.

Record and journal fail apart: what goes wrong in one is logged and costs the other nothing.
"""

from __future__ import annotations

import os

from memorycli.hook import log
from memoryserver.client import places
from memoryserver.common import hook_answer
from trajectory.local import recorder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

    from memoryserver.common.hook_answer import Answer
    from memoryserver.common.hook_event import HookEvent


def after_tool(event: HookEvent) -> Answer | None:
    """Take the finished call of `event`; what the agent is to be told, if anything."""
    project = places.root_of_event(event.raw)
    about_entry = ""
    try:
        about_entry = _journal(event, project)
    except Exception as error:  # noqa: BLE001 - logged; the two halves of the hook fail apart
        log.write(f"journal: {type(error).__name__}: {error}")
    assessment = ""
    try:
        taken = recorder.take(event.raw, project)
        assessment = taken.tell
        if taken.problem:
            log.write(taken.problem)
    except Exception as error:  # noqa: BLE001 - as above
        log.write(f"{type(error).__name__}: {error}")
    return hook_answer.with_context(event.name, about_entry, assessment)


def _journal(event: HookEvent, project: Path) -> str:
    """What there is to say of the journal's active entry; "" without a journal, which is the usual case."""
    journal = places.journal_dir(project)
    if not os.path.isdir(journal):
        return ""
    from memorycli.hook import journal as hook_entry

    return hook_entry.after_tool(event, journal, project)
