"""After a tool call in a project with a journal: the check-in question, and the check that decides the entry."""

from __future__ import annotations

from ghap.local import active, counter, layout
from memorycli.hook import messages, ownership
from memoryserver.client import config, places
from memoryserver.client.hook_state import SessionMemory
from memoryserver.common import shell_result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

    from ghap.local.active import Active, Notes
    from trajectory.local.calls.parse import ToolCall

_MAX_RESULT = 2000  # characters of the check's output that go into the entry
_MAX_COMMAND = 4000


def after_tool(call: ToolCall, journal: Path, project: Path) -> str:
    """Count `call` in `journal` and return the text for the agent about its active entry, or "".

    A call only counts where its agent can know the entry: not a sub-agent's unless that began it, nor one of another
    session than the one that works on it.
    """
    entry = active.load(journal)
    if entry is None:
        if not call.agent_id:
            counter.increment(journal)
        return ""
    notes = _notes(call, journal, entry)
    if ownership.is_anothers(entry, notes, call.session_id):
        return ""
    _note_change(call, journal, project, entry, notes)
    if call.agent_id not in ("", notes.agent_id):
        return ""
    message = _after_run(call, journal, project, entry, notes) if call.command else ""
    if message:
        counter.reset(journal)
        return message
    if _is_of_the_memory(call):
        return ""
    due = counter.record_call(journal, config.number("check_in_calls", project), active=True)
    return _check_in(journal, entry, notes) if due else ""


def _check_in(journal: Path, entry: Active, notes: Notes) -> str:
    """Return the question: whole once for each iteration of the entry, then in one line."""
    asked = f"check-in {entry.iteration}"
    if asked in notes.told:
        return messages.check_in_again(entry)
    notes.told.append(asked)
    active.save_notes(journal, notes)
    return messages.check_in(entry)


def _is_of_the_memory(call: ToolCall) -> bool:
    """Return whether the call is one of the memory's own, which is no work on the entry."""
    if call.tool_name.startswith("mcp__"):
        return "memoryserver" in call.tool_name
    return call.command.startswith("memory ")


def _notes(call: ToolCall, journal: Path, entry: Active) -> Notes:
    """Return the notes on the entry; the call that begins or adopts it makes it the caller's."""
    notes = active.notes(journal, entry)
    is_new = notes.is_new
    if ownership.claim(notes, call) or is_new:
        active.save_notes(journal, notes)
    if is_new:
        _save_journal_session(call, entry)
        counter.reset(journal)  # calls before the entry do not count towards its first question
    return notes


def _note_change(call: ToolCall, journal: Path, project: Path, entry: Active, notes: Notes) -> None:
    """Note that something was changed in this iteration of the entry; a sub-agent may do what the entry is about."""
    if notes.changed >= entry.iteration:
        return
    from memorycli.hook import made_changes

    change = made_changes.of_call(call, entry.check, project)
    if change == made_changes.MORE:
        notes.changed = entry.iteration
    elif change == made_changes.TESTS and notes.changed_tests < entry.iteration:
        notes.changed_tests = entry.iteration
    else:
        return
    active.save_notes(journal, notes)


def _save_journal_session(call: ToolCall, entry: Active) -> None:
    """Remember the journal's session, which may have begun with the entry, so that it ends with the agent's own."""
    memory = SessionMemory(call.session_id)
    if not memory.journal_session:
        memory.journal_session = entry.session_id
        memory.save()


def _after_run(call: ToolCall, journal: Path, project: Path, entry: Active, notes: Notes) -> str:
    command, printed = call.command[:_MAX_COMMAND], call.printed
    if entry.check:
        from ghap.local import check

        verdict = check.verdict(entry.check, command, call.status, printed)
        if verdict is not None:
            return _after_check(call, journal, project, entry, notes, verdict)
    if notes.asked >= entry.iteration or not _is_test_or_build(command, printed):
        return ""
    notes.asked = entry.iteration
    active.save_notes(journal, notes)
    return messages.after_run(entry, shell_result.tail(printed, messages.MAX_SHOWN))


def _after_check(call: ToolCall, journal: Path, project: Path, entry: Active, notes: Notes, verdict: str) -> str:
    """Resolve the entry if `verdict` shows what came of its action, else return the text that says why it does not."""
    from ghap.local import check
    from memoryserver.common import check_output

    has_failed = verdict == check.FALSIFIED or bool(verdict == check.UNKNOWN and call.status)
    crash = check_output.crash(entry.check, call.printed) if has_failed else ""
    if crash:
        line = shell_result.tail(crash, check_output.MAX_REASON)
        undecided, text = f"crash {entry.iteration}", messages.crashed(entry, line)
    elif verdict == check.UNKNOWN:
        return messages.undecided(entry, shell_result.tail(call.printed, messages.MAX_SHOWN))
    elif not _is_evidence(entry, notes, verdict):
        undecided, text = "early", messages.early(entry, tests_only=notes.changed_tests >= entry.iteration)
    else:
        return _resolve(journal, project, entry, verdict, call.status, call.printed)
    if undecided in notes.told:
        return ""
    notes.told.append(undecided)
    active.save_notes(journal, notes)
    return text


def _is_evidence(entry: Active, notes: Notes, verdict: str) -> bool:
    """Return whether the check can show what came of the action: something was changed before it ran.

    A new test that fails shows nothing before the code is changed, unless the work is on the tests themselves.
    """
    if notes.changed >= entry.iteration:
        return True
    is_about_tests = entry.shown("domain") == "testing" or verdict == "confirmed"
    return is_about_tests and notes.changed_tests >= entry.iteration


def _resolve(journal: Path, project: Path, entry: Active, verdict: str, status: int | None, printed: str) -> str:
    from ghap.local.entry import OutcomeStatus
    from ghap.local.journal import Journal

    key = places.project_key(project)
    result = _result(entry.check, status, printed)
    resolved = Journal(journal, project=key, lock_timeout=layout.HOOK_LOCK_SECONDS).resolve_by_check(
        entry.id, OutcomeStatus(verdict), result
    )
    if resolved is None:  # another hook was quicker
        return ""
    return messages.resolved(entry, verdict)


def _result(check: str, status: int | None, printed: str) -> str:
    """Return the outcome in words: what was seen, the check and its status, the end of the output."""
    from memoryserver.common import check_output

    shown = shell_result.tail(printed, _MAX_RESULT)
    said = shell_result.tail(check_output.reason(printed), check_output.MAX_REASON)
    quoted = shown.replace("```", "'''")
    ended = f"`{check[:200]}` ended with exit status {status}."
    return "\n".join(filter(None, [said, ended, f"\n```\n{quoted}\n```" if shown else ""]))


def _is_test_or_build(command: str, printed: str) -> bool:
    from trajectory.local.calls import suite_report

    return suite_report.is_test_or_build(command, printed)
