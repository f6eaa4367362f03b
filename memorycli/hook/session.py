"""The events of a session: it starts, a person speaks, the agent pauses, it is compacted, it ends."""

from __future__ import annotations

import os

from memorycli import renamed
from memorycli.hook import log, messages, spawn
from memoryserver.client import agent_processes, config, context_cache, places
from memoryserver.client.hook_state import SessionMemory
from memoryserver.common import hook_answer, hook_event

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from ghap.local.active import Active
    from memoryserver.client.places import Project
    from memoryserver.common.hook_answer import Answer
    from memoryserver.common.hook_event import HookEvent
    from trajectory.local.store import Trajectory

_CONTINUED = ("resume", "fork", "compact")  # the model still has the context, or a summary of it


def start(event: HookEvent) -> Answer | None:
    """Begin or continue a session: the journal's session, an entry that was left, and the context from the cache.

    After `compact` only the active entry is repeated, and the agent is asked what it learned; after `resume` and `fork`
    only an orphan not offered before.
    """
    if event.agent_id:
        return None
    project = places.of_event(event.raw)
    memory = SessionMemory(event.session_id)
    memory.root = memory.root or str(project.root)
    source = event.word("source")
    if source == "compact":
        _logged(lambda: _count_compaction(event))
    parts = [
        _logged(lambda: _entry(project, memory, event)),
        _logged(lambda: messages.renamed(project.key(), renamed.news(project))),
        _logged(lambda: _context(project, event, source)),
    ]
    if source == "compact":
        from memorycli.hook import learning_questions

        parts.append(_logged(lambda: learning_questions.after_compaction(event.session_id, project.root)))
    _logged(memory.save)
    _logged(lambda: agent_processes.record(event.session_id))
    _logged(lambda: places.record(project))
    return hook_answer.with_context(event.name, *(part for part in parts if part))


def prompt(event: HookEvent) -> Answer | None:
    """Begin a turn, and add the files that the prompt names to the task's scope; only if a person has written it."""
    from memoryserver.common import prompts

    text = event.text("prompt", prompts.MAX_READ)
    if event.agent_id or prompts.is_machine_made(text):
        return None
    from trajectory.local import store
    from trajectory.local.engine import task_scope

    trajectory = store.trajectory(event.session_id)
    root = places.root_of_event(event.raw)
    _logged(trajectory.count_prompt)
    _logged(lambda: agent_processes.record(event.session_id))
    _logged(lambda: _describe(trajectory, text, root))
    task_scope.add(trajectory, task_scope.paths_in(text, root))
    return None


def _describe(trajectory: Trajectory, text: str, root: Path) -> None:
    """Note the branch at the session's first prompt, and the prompt as its title unless that is turned off."""
    from memoryserver.client import repository
    from memoryserver.common import prompts
    from trajectory.local import store

    if store.BRANCH in trajectory.state():
        return
    checkout = repository.around(str(root))
    title = prompts.title_of(text) if config.value("session_titles") else ""
    trajectory.describe(title, checkout.branch[:200] if checkout else "")


def pause(event: HookEvent) -> Answer | None:
    """Send what waits in the background: the agent or a sub-agent is done for now.

    An agent that overcame a failure is asked what it learned, which has it go on; never where a hook had it go on.
    """
    project = places.of_event(event.raw)
    _logged(lambda: places.record(project))
    spawn.start(project.root)
    if event.name != hook_event.STOP or event.agent_id or event.raw.get("stop_hook_active") is True:
        return None
    from memorycli.hook import learning_questions

    return hook_answer.go_on(_logged(lambda: learning_questions.after_failures(event.session_id, project.root)))


def before_compaction(event: HookEvent) -> Answer | None:
    """Record the compaction for the server's figures, and send what waits."""
    from memorycli.delivery import compactions

    project = places.of_event(event.raw)
    _logged(lambda: _count_compaction(event))
    _logged(lambda: compactions.record(event, project.root))
    spawn.start(project.root)
    return hook_answer.nothing()


def after_compaction(_event: HookEvent) -> Answer | None:
    """Return the empty answer that Codex expects."""
    return hook_answer.nothing()


def stop_subagent(event: HookEvent) -> Answer | None:
    """End the sub-agent, whose findings end with it, and send what waits."""
    if event.agent_id:
        _logged(lambda: _end_trajectories(event))
    return pause(event)


def end(event: HookEvent) -> Answer | None:
    """End the session: withdraw its findings, record the end, archive its journal entries, and send what waits."""
    from memoryserver.client import ended_sessions

    _logged(lambda: _end_trajectories(event))
    if event.session_id and not event.agent_id:  # before what takes longer: time may be up
        _logged(lambda: ended_sessions.record(event.session_id))
    project = places.of_event(event.raw)
    _logged(lambda: places.record(project))
    _logged(lambda: _leave(project, event.session_id))
    spawn.start(project.root, pause=0.0)  # nothing later in this session would send its end
    return None


def _count_compaction(event: HookEvent) -> None:
    """Let the observers know; each of the events around a compaction may be missing, and twice does no harm."""
    from trajectory.local import store

    store.trajectory(event.session_id, event.agent_id).count_compaction()


def _end_trajectories(event: HookEvent) -> None:
    """Let the server know, then close the findings here; without a recorded call there is nothing to end."""
    from memorycli.delivery import session_ends
    from trajectory.local import evaluate, store

    trajectories = store.of_session(event.session_id, event.agent_id)
    if trajectories and event.session_id:
        session_ends.record(event)
    for trajectory in trajectories:
        evaluate.end(trajectory)


def _entry(project: Project, memory: SessionMemory, event: HookEvent) -> str:
    """Begin the journal's session and return the text about its entry; "" without a journal.

    An entry that another session is at work on is left out.
    """
    journal = project.journal
    if not os.path.isdir(journal):
        return ""
    from ghap.local import active

    source = event.word("source")
    if source == "compact":
        entry = active.load(journal)
        return messages.still_open(entry) if entry and not _is_anothers(journal, entry, event) else ""
    from ghap.local import layout
    from ghap.local.sessions import Sessions

    sessions = Sessions(journal, lock_timeout=layout.HOOK_LOCK_SECONDS)
    if source in _CONTINUED:
        memory.journal_session = sessions.reopen_session(memory.journal_session)
    else:
        memory.journal_session = sessions.start_session()
        memory.offered = ""
    entry = active.load(journal)
    if entry is None or entry.session_id == memory.journal_session or entry.id == memory.offered:
        return ""
    if _is_anothers(journal, entry, event):
        return ""
    memory.offered = entry.id
    return messages.orphan(entry)


def _is_anothers(journal: Path, entry: Active, event: HookEvent) -> bool:
    from ghap.local import active
    from memorycli.hook import ownership

    return ownership.is_anothers(entry, active.notes(journal, entry), event.session_id)


def _context(project: Project, event: HookEvent, source: str) -> str:
    """Return the project's context, quoted, unless this session got it before; record that the session gets it."""
    key = project.key()
    if not key:  # the folder is gone and was never seen
        return ""
    cached = context_cache.load(key)
    _logged(lambda: context_cache.record_use(key))
    if cached is None or cached.is_old:
        spawn.start(project.root, pause=spawn.SHORT_PAUSE_SECONDS if cached is None else spawn.PAUSE_SECONDS)
    if cached is None or source in _CONTINUED:
        return ""
    text = hook_answer.quoted_context(cached.text, config.number("context_chars", project.root))
    _logged(lambda: context_cache.record_delivery(cached, text, event.session_id))
    return text


def _leave(project: Project, session_id: str) -> None:
    journal = project.journal
    if not os.path.isdir(journal):
        return
    memory = SessionMemory(session_id)
    _let_go(journal, session_id)
    if memory.journal_session:
        from ghap.local.sessions import Sessions

        Sessions(journal, lock_timeout=0.3).leave_session(memory.journal_session)


def _let_go(journal: Path, session_id: str) -> None:
    """Give up the ownership of the entry that the session worked on, so that any other may take it."""
    from ghap.local import active

    entry = active.load(journal)
    notes = active.notes(journal, entry) if entry else None
    if notes and notes.agent_session == session_id:
        notes.agent_session = ""
        active.save_notes(journal, notes)


def _logged(step: Callable[[], str | None]) -> str:
    """Return the text of `step`, "" where it fails; the error is logged, so that the other steps go on."""
    try:
        return step() or ""
    except Exception as error:  # noqa: BLE001 - the parts of an event fail apart
        log.write(f"{type(error).__name__}: {error}")
        return ""
