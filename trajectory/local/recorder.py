"""Records a finished tool call and runs the observers when one of them is due.

The quiet case (no observer is due) loads neither dataclasses nor any observer.
"""

from __future__ import annotations

from pathlib import Path

from trajectory.local import store
from trajectory.local.calls import parse
from trajectory.local.calls.row import row_of
from trajectory.local.engine import schedule


class RecordedCall:
    """A recorded call: its trajectory, its row, the text for the agent, and what went wrong afterwards."""

    __slots__ = ("problem", "row", "tell", "trajectory")

    def __init__(self, trajectory: store.Trajectory, row: dict[str, object], tell: str, problem: str) -> None:
        self.trajectory = trajectory
        self.row = row
        self.tell = tell
        self.problem = problem


def record_report(report: dict[str, object], project: Path) -> RecordedCall:
    """Read the call in `report` (either form of `calls.parse`) and record it as `record` does.

    Raises CallError for what is not a call.
    """
    return record(parse.read(report), project)


def record(call: parse.ToolCall, project: Path) -> RecordedCall:
    """Record `call`, whose paths are relative to `project`, and run the observers that are due.

    Raises OSError or LockTimeoutError if it could not be recorded, CallError if it is nested too deeply. What goes
    wrong afterwards is the result's `problem`.
    """
    trajectory = store.trajectory(call.session_id, call.agent_id)
    row: dict[str, object] = {}
    texts, problems = [], []
    state = trajectory.state()
    if call.agent_id and call.agent_type and store.TITLE not in state:
        trajectory.describe(call.agent_type, "")
    for each in [*_refused_before(call, project), row_of(call, root=str(project))]:
        context = {"turn": each["turn"] or store.turn_of(state), "compactions": store.compactions_of(state)}
        row = trajectory.append(each | {name: each[name] or value for name, value in context.items()})
        if schedule.is_due(state.get("plan"), row):
            text, problem = _observe(trajectory, call, project)
            texts.append(text)
            problems.append(problem)
            state = trajectory.state()
    return RecordedCall(trajectory, row, "\n\n".join(filter(None, texts)), "; ".join(filter(None, problems)))


def _observe(trajectory: store.Trajectory, call: parse.ToolCall, project: Path) -> tuple[str, str]:
    """Return the text for the agent and what went wrong, each "" where there is none."""
    from trajectory.local import evaluate

    try:
        return evaluate.evaluate(trajectory, project, agent_id=call.agent_id, session_id=call.session_id)
    except OSError as error:
        return "", f"the call is recorded, the findings could not be saved: {error}"


def _refused_before(call: parse.ToolCall, project: Path) -> list[dict[str, object]]:
    """Return the rows of the calls that were refused before this one, of which no event has told."""
    from trajectory.local.calls import batches

    common = {"turn_id": call.turn, "agent_id": call.agent_id, "cwd": call.cwd, "timestamp": call.timestamp}
    refused = batches.refused_before(call.transcript, call.tool_use_id, agent_id=call.agent_id)
    return [row_of(report | common, root=str(project)) for report in refused if isinstance(report["tool_name"], str)]
