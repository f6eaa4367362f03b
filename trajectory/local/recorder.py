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
    row = trajectory.append(row_of(call, root=str(project)))
    if not schedule.is_due(trajectory.state().get("plan"), row):
        return RecordedCall(trajectory, row, "", "")
    from trajectory.local import evaluate

    try:
        tell, problem = evaluate.evaluate(trajectory, project, agent_id=call.agent_id, session_id=call.session_id)
    except OSError as error:
        tell, problem = "", f"the call is recorded, the findings could not be saved: {error}"
    return RecordedCall(trajectory, row, tell, problem)
