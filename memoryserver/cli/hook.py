"""`memory hook`: what an agent's hook runs. Reads one event from standard input and never fails.

It exits 0 whatever it is given, with nothing or one JSON object on standard output; what went wrong
goes to `$MEMORYSERVER_HOME/logs/hook.log`. It runs at every tool call, so it imports what the event needs and
no more.
"""

from __future__ import annotations

import contextlib
import json
import os
from pathlib import Path

from memoryserver.cli import hook_log, standard_input
from memoryserver.local import places

MAX_EVENT_BYTES = 32 * 1024 * 1024
WAIT_SECONDS = 5.0
_AFTER_TOOL = ("PostToolUse", "PostToolUseFailure")


def hook(argv: list[str]) -> int:
    """Handle the event on standard input; always 0, because another status would be shown to the agent."""
    try:
        answer = _answer()
        if answer:
            _print(answer)
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 - the agent's work goes on, the log says why
        hook_log.write(f"{type(error).__name__}: {error}")
    return 0


def _answer() -> dict[str, object] | None:
    data = standard_input.read(MAX_EVENT_BYTES, WAIT_SECONDS)
    if not data.strip():
        return None
    from trajectory.local import incoming

    event = incoming.parse(data)
    name = event.get("hook_event_name")
    if name == "SessionEnd":
        _session_end(event)
    return _after_tool(event, name) if name in _AFTER_TOOL and isinstance(name, str) else None


def _after_tool(event: dict[str, object], name: str) -> dict[str, object] | None:
    from trajectory.local import recorder

    project = recorder.project_of(event)
    _count_for_check_in(project)
    taken = recorder.take(event, project)
    if taken.problem:
        hook_log.write(taken.problem)
    if not taken.tell:
        return None
    return {"hookSpecificOutput": {"hookEventName": name, "additionalContext": taken.tell}}


def _session_end(event: dict[str, object]) -> None:
    """What stood at the end of a session must not greet the next one."""
    from trajectory.local import evaluation, incoming, store

    evaluation.end(store.trajectory(*incoming.session_of(event)))


def _count_for_check_in(project: Path) -> None:
    """Count the call for the check-in of a project that keeps a journal.

    What fails there must not cost the call's record.
    """
    journal = places.journal_dir(project)
    if not os.path.isdir(journal):
        return
    from ghap.local import counter

    try:
        counter.increment(journal)
    except Exception as error:  # noqa: BLE001 - logged; the two halves of the hook fail apart
        hook_log.write(f"tool count: {type(error).__name__}: {error}")


def _print(answer: dict[str, object]) -> None:
    # Not through `sys.stdout`: where the reader has gone, its flush at exit would turn the status into 120.
    with contextlib.suppress(BrokenPipeError):
        data = json.dumps(answer).encode("ascii") + b"\n"
        while data:
            data = data[os.write(1, data) :]
