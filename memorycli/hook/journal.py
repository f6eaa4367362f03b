"""After a tool call in a project that keeps a journal: the check-in question, and the check that decides the entry."""

from __future__ import annotations

from ghap.local import active, counter, layout
from memorycli.hook import messages, ownership
from memoryserver.client import config
from memoryserver.client.hook_state import SessionMemory
from memoryserver.common import shell_result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

    from ghap.local.active import Active, Notes
    from memoryserver.common.hook_event import HookEvent

_MAX_RESULT = 2000  # characters of what the check printed that go into the entry
_MAX_COMMAND = 4000


def after_tool(event: HookEvent, journal: Path, project: Path) -> str:
    """Count the call of `event` in `journal` and return what the agent is to be told of its active entry, or "".

    A call only counts where its agent can know of the entry: not a sub-agent's unless that began it, nor one of another
    session than that which is at work on it.
    """
    entry = active.load(journal)
    if entry is None:
        if not event.agent_id:
            counter.increment(journal)
        return ""
    notes = _notes(event, journal, entry)
    if event.agent_id not in ("", notes.agent_id) or ownership.is_anothers(notes, event.session_id):
        return ""
    command = _command(event)
    said = _after_run(event, journal, entry, notes, command) if command else ""
    if said:
        counter.reset(journal)
        return said
    due = counter.take(journal, config.number("check_in_calls", project), active=True)
    return messages.check_in(entry) if due else ""


def _notes(event: HookEvent, journal: Path, entry: Active) -> Notes:
    """What is remembered of the entry; the call that begins or adopts it makes it the caller's."""
    notes = active.notes(journal, entry)
    is_new = notes.is_new
    if ownership.claim(notes, event) or is_new:
        active.save_notes(journal, notes)
    if is_new:
        _note_session(event, entry)
        counter.reset(journal)  # the calls before the entry do not hasten its first question
    return notes


def _note_session(event: HookEvent, entry: Active) -> None:
    """The journal's session may have begun with the entry, after the agent's own: it ends with that all the same."""
    memory = SessionMemory(event.session_id)
    if not memory.journal_session:
        memory.journal_session = entry.session_id
        memory.save()


def _command(event: HookEvent) -> str:
    from trajectory.local.calls import summary

    name = event.raw.get("tool_name")
    return summary.command_of(name, event.raw.get("tool_input"))[:_MAX_COMMAND] if isinstance(name, str) else ""


def _after_run(event: HookEvent, journal: Path, entry: Active, notes: Notes, command: str) -> str:
    status = shell_result.exit_status(event.raw)
    if entry.check:
        from ghap.local import check

        printed = shell_result.output(event.raw)
        verdict = check.verdict(entry.check, command, status, printed)
        if verdict in (check.CONFIRMED, check.FALSIFIED):
            return _resolve(journal, entry, verdict, status, printed)
        if verdict == check.UNKNOWN:
            return messages.undecided(entry, shell_result.tail(printed, messages.MAX_SHOWN))
    if notes.asked >= entry.iteration or not _is_test_or_build(event, command):
        return ""
    notes.asked = entry.iteration
    active.save_notes(journal, notes)
    return messages.after_run(entry, shell_result.tail(shell_result.output(event.raw), messages.MAX_SHOWN))


def _resolve(journal: Path, entry: Active, verdict: str, status: int | None, printed: str) -> str:
    from ghap.local.entry import OutcomeStatus
    from ghap.local.journal import Journal

    shown = shell_result.tail(printed, _MAX_RESULT)
    result = f"Its check ended with exit status {status}: {entry.check[:200]}" + (f"\n{shown}" if shown else "")
    resolved = Journal(journal, lock_timeout=layout.HOOK_LOCK_SECONDS).resolve_by_check(
        entry.id, OutcomeStatus(verdict), result
    )
    if resolved is None:  # another hook was quicker
        return ""
    return messages.resolved(entry, verdict)


def _is_test_or_build(event: HookEvent, command: str) -> bool:
    from trajectory.local.calls import suite_report

    return suite_report.is_test_or_build(command, shell_result.output(event.raw))
