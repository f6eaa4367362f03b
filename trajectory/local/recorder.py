"""Takes a finished tool call: keeps it, and has the observers look when one of them is due.

The quiet way - keep the call, nobody is due - loads neither dataclasses nor any observer.
"""

from __future__ import annotations

from pathlib import Path

from trajectory.local import store
from trajectory.local.calls import parse
from trajectory.local.engine import schedule


class Taken:
    """What became of a call: where it is kept, its row, what to tell the agent, what went wrong after."""

    __slots__ = ("problem", "row", "tell", "trajectory")

    def __init__(self, trajectory: store.Trajectory, row: dict[str, object], tell: str, problem: str) -> None:
        self.trajectory = trajectory
        self.row = row
        self.tell = tell
        self.problem = problem


def take(given: dict[str, object], project: Path) -> Taken:
    """Keep the call in `given` (either form of `incoming`) and run what is due.

    Raises CallError for what is no call and OSError or LockTimeoutError where it could not be kept. What goes
    wrong after it was kept is the answer's `problem`.
    """
    session_id, agent_id = parse.session_of(given)
    trajectory = store.trajectory(session_id, agent_id)
    row = trajectory.append(parse.row_of(given, root=str(project)))
    if not schedule.is_due(trajectory.state().get("plan"), row):
        return Taken(trajectory, row, "", "")
    from trajectory.local.engine import evaluate

    try:
        tell, problem = evaluate.evaluate(trajectory, project, agent_id=agent_id, session_id=session_id)
    except OSError as error:
        tell, problem = "", f"the call is recorded, what the observers found could not be kept: {error}"
    return Taken(trajectory, row, tell, problem)
