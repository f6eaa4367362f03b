"""After a tool call: it is read once, recorded, shown to the observers, and matched with the active journal entry.

Record and journal fail apart: what goes wrong in one is logged and does not affect the other.
"""

from __future__ import annotations

import os

from ghap.local import layout
from memorycli.hook import log
from memoryserver.client import places
from memoryserver.common import hook_answer
from trajectory.local import recorder
from trajectory.local.calls import parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memoryserver.client.places import Project
    from memoryserver.common.hook_answer import Answer
    from memoryserver.common.hook_event import HookEvent


def after_tool(event: HookEvent) -> Answer | None:
    """Take the finished call of `event`; return the text for the agent, if any.

    Raises CallError for an event that holds no tool call.
    """
    project = places.of_event(event.raw)
    call = parse.read(event.raw)
    about_entry = ""
    try:
        about_entry = _journal(call, project, places.folder_of(event.raw))
    except Exception as error:  # noqa: BLE001 - logged; the two halves of the hook fail apart
        log.write(f"journal: {type(error).__name__}: {error}")
    assessment = ""
    try:
        recorded = recorder.record(call, project.root)
        assessment = recorded.tell
        if recorded.problem:
            log.write(recorded.problem)
    except Exception as error:  # noqa: BLE001 - as above
        log.write(f"{type(error).__name__}: {error}")
    return hook_answer.with_context(event.name, about_entry, assessment)


def _journal(call: parse.ToolCall, project: Project, folder: str) -> str:
    """Return the text about the journal's active entry; "" without a journal, which is the usual case.

    The shell may be in another repository or worktree at `folder`, where a command of the agent began its entry.
    """
    if folder and folder != str(project.root):
        other = places.of(folder)
        if other.journal != project.journal and os.path.isfile(other.journal / layout.CURRENT):
            project = other
    journal = project.journal
    if not os.path.isdir(journal):
        return ""
    from memorycli.hook import journal as hook_journal

    return hook_journal.after_tool(call, journal, project.root)
