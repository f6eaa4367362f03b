"""Runs the observers on a trajectory that is stored in files: load, run, save.

The state file holds, as JSON: `session_id`, `agent_id`, `project` (its folder), `plan`, the row of `state_file`,
`prompts`, how often a person has spoken, where the agent's events do not say so, `compactions`, how often the agent's
context was compacted, and `notified`: of what the agent was
notified, a list of [call_index, key of the observer, identity of the finding].
"""

from __future__ import annotations

import posixpath
import time
from collections.abc import Sequence
from pathlib import Path

from memoryserver.common import clock
from memoryserver.common.files import LockTimeoutError
from memoryserver.common.light import replace
from trajectory.local import store
from trajectory.local.calls import record
from trajectory.local.calls.record import ToolCallRecord
from trajectory.local.config import resolve
from trajectory.local.engine import notifications, state_file, task_scope, turns
from trajectory.local.engine import schedule as plan
from trajectory.local.engine.assessment import Assessment
from trajectory.local.engine.project_files import ProjectFiles
from trajectory.local.engine.runner import digest_of, run_observers, withdraw
from trajectory.local.engine.session import Session
from trajectory.local.engine.triggers import ObserverConfig
from trajectory.local.observers import window
from trajectory.local.store import Trajectory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

WINDOW = window.KEPT
_MAX_NOTIFIED = 100


def evaluate(
    trajectory: Trajectory,
    project: Path,
    *,
    session_id: str = "",
    agent_id: str = "",
    configs: Sequence[ObserverConfig] | None = None,
    in_answer: bool = True,
) -> tuple[str, str]:
    """Run the observers that are due; returns the text to put before the agent and what went wrong, each
    "" where there is none. `configs` are those chosen for the project unless given. With `in_answer` unset there is no
    answer to the agent into which a text could go. Raises OSError where the state cannot be saved.
    """
    scope = frozenset() if agent_id else task_scope.initial_paths(trajectory)
    choice = resolve.observers_of(project, scope) if configs is None else resolve.Choice(tuple(configs), ())
    try:
        with trajectory.observing():
            state = trajectory.state()
            session = load(trajectory, state)
            configs = _with_own_files(choice.configs, trajectory, session, project)
            failures = _failures(session)
            moment = clock.now()
            news = run_observers(session, configs, ProjectFiles(project), now=moment, in_answer=in_answer)
            message = ""
            if in_answer:
                _, message = notifications.answer(session, news, lambda finding: _known_here(finding, project))
            ids: dict[str, object] = {"session_id": session_id, "agent_id": agent_id, "project": str(project)}
            ids |= store.apart_from_calls(state)
            ids |= {"notified": _notified(state, session)}
            after = ids | state_file.to_row(session) | {"plan": plan.make(configs, session, moment, root=str(project))}
            if _without_time(after) != _without_time(state):
                trajectory.save_state(after)
    except LockTimeoutError as error:
        return "", f"the call is recorded, the observers did not look: {error}"
    return message, "; ".join(filter(None, [_problem(session, failures), *choice.problems]))


def _known_here(finding: Assessment, project: Path) -> str:
    """Return what the local copy of this project's memory knows about the finding, "" for nothing."""
    from trajectory.local import known_here

    return known_here.about(finding, project)


def forget(trajectory: Trajectory) -> None:
    """Clear a trajectory and take its findings out of the project's assessment files."""
    with trajectory.observing():
        state = trajectory.state()
        project = state.get("project")
        if isinstance(project, str):
            withdraw(load(trajectory, state), ProjectFiles(Path(project)))
        trajectory.clear()


def end(trajectory: Trajectory) -> None:
    """Close the findings of a session that is over, in its state and in the project's files; its calls stay."""
    if not trajectory.used_at():
        return
    with trajectory.observing():
        state = trajectory.state()
        project = state.get("project")
        session = load(trajectory, state)
        if isinstance(project, str) and session.written:
            withdraw(session, ProjectFiles(Path(project)))
            session.written = {}
        latest = session[ToolCallRecord].latest()
        turns.end_findings(session, latest.call_index if latest else 0)
        trajectory.save_state(state | state_file.to_row(session))


def end_silent() -> int:
    """End the sessions with open findings that were silent for half an hour; return how many.

    Raises LockTimeoutError where one is being observed.
    """
    ended = 0
    for trajectory in store.all_trajectories():
        silent = time.time() - trajectory.used_at() >= turns.SILENCE.total_seconds()
        if silent and has_findings(trajectory.state()):
            end(trajectory)
            ended += 1
    return ended


def has_findings(state: dict[str, object]) -> bool:
    """Return whether a finding is open, or may be left in a file, by the state of a trajectory."""
    memories = state_file.table(state, "observers").values()
    is_open = any(isinstance(memory, dict) and memory.get("standing") for memory in memories)
    return is_open or any(state_file.table(state, "written").values())


def load(trajectory: Trajectory, state: dict[str, object] | None = None) -> Session:
    """Return the session of a trajectory with its last 128 calls; what is damaged in the state starts empty."""
    state = trajectory.state() if state is None else state
    session = Session()
    for row in trajectory.tail(WINDOW):
        _add(session, row)
    state_file.restore(session, state)
    return session


def _add(session: Session, row: dict[str, object]) -> None:
    try:
        session[ToolCallRecord].append(record.from_row(row))
    except ValueError:
        return  # a foreign line in the file is not a call; the lines around it count


def _without_time(state: dict[str, object]) -> dict[str, Any]:
    """Return the part of the state that is worth saving: without times and counts that the calls contain as well."""
    schedule, totals = state_file.table(state, "plan"), state_file.table(state, "state")
    return state | {"plan": schedule | {"made_at": 0}, "state": totals | {"tool_calls_since_assessment": 0}}


def _notified(state: dict[str, Any], session: Session) -> list[list[object]]:
    """Return what the agent was notified of, up to the latest call; the last hundred times."""
    stored = state.get("notified")
    before = stored if isinstance(stored, list) else []
    latest = session[ToolCallRecord].latest()
    now: list[list[object]] = [
        [latest.call_index, key, memory.told_identity]
        for key, memory in session.progress.items()
        if latest and memory.told_at == latest.call_index
    ]
    # Hooks of parallel calls may both look after the later of them.
    return [*before, *(entry for entry in now if entry not in before)][-_MAX_NOTIFIED:]


def output_path(path: str, trajectory: Trajectory) -> str:
    """Return `path` for a session; a sub-agent's trajectory has `assessment.<agent>.md` beside `assessment.md`."""
    _, dot, agent = trajectory.folder.name.rpartition(".")
    stem, suffix = posixpath.splitext(path)
    return f"{stem}.{agent}{suffix}" if dot else path


def _with_own_files(
    configs: Sequence[ObserverConfig], trajectory: Trajectory, session: Session, project: Path
) -> list[ObserverConfig]:
    """Return the configs with files in which no other session or sub-agent has findings: they must not erase them.

    A file in which another session has some has one beside it for this session, until the other's are gone.
    """
    paths = {path: output_path(path, trajectory) for path in {config.output_path for config in configs}}
    for path, own in paths.items():
        if _is_anothers(own, trajectory, session, project):
            stem, suffix = posixpath.splitext(own)
            paths[path] = f"{stem}.{trajectory.folder.name}{suffix}"
    return [replace(config, output_path=paths[config.output_path]) for config in configs]


def _is_anothers(path: str, trajectory: Trajectory, session: Session, project: Path) -> bool:
    """Return whether the file holds what another session in this project has written and not withdrawn."""
    try:
        content = ProjectFiles(project).read_text(path)
    except (OSError, ValueError):  # there is none, as a rule, or its folder's name is none for the system
        return False
    digest = digest_of(content)
    if not content or session.written.get(path) == digest:
        return False
    states = (other.state() for other in store.all_trajectories() if other.folder != trajectory.folder)
    return any(
        state_file.table(state, "written").get(path) == digest and state.get("project") == str(project)
        for state in states
    )


def _failures(session: Session) -> int:
    return sum(memory.failures for memory in session.progress.values())


def _problem(session: Session, before: int) -> str:
    """Return what went wrong in this run, on one line."""
    problems = [f"{session.write_failure}"] if session.write_failure else []
    if _failures(session) > before:
        failing = [(key, memory) for key, memory in session.progress.items() if memory.failures_in_a_row]
        problems += [f"observer {key}: {memory.last_failure}" for key, memory in failing]
    return "; ".join(problems)
