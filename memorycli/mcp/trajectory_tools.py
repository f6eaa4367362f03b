"""The observers' findings in the agent's tool calls, as a tool."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from memorycli.mcp.answers import BUDGET, QUOTED, cut, line, quoted
from memorycli.mcp.place import Place
from memorycli.mcp.server_calls import ask, in_thread
from memorycli.mcp.tool import Arguments, Tool, ToolError, string
from memoryserver.client.http import Client
from memoryserver.common.counted import counted
from trajectory.local import evaluate, store
from trajectory.local.calls.record import ToolCallRecord
from trajectory.local.engine.assessment import render_all, worst

_NO_CALLS = "No tool calls are recorded{}; the hooks record them."
_NO_FINDINGS = "No open findings: the observers found no problem in the recent calls."


async def _status(place: Place, arguments: Arguments) -> str:
    session = arguments.get("session_id")
    if place.on_laptop:
        return await in_thread(lambda: _local(place, session))
    return await ask(place, lambda client: _remote(client, session, arguments.get("project")))


def _local(place: Place, session_id: str | None) -> str:
    own = "" if session_id else place.session()
    if not session_id and not own:
        _ask_if_several(place)
    asked = session_id or own
    trajectory = store.trajectory(asked) if asked else _latest(str(place.folder))
    if trajectory is None or not trajectory.used_at():
        which = (
            f" for your session {line(own)} yet" if own else " for that session" if asked else " in this project yet"
        )
        raise ToolError(_NO_CALLS.format(which))
    state = trajectory.state()
    session = evaluate.load(trajectory, state)
    latest = session[ToolCallRecord].latest()
    if latest is None:
        raise ToolError("the recorded calls cannot be read; ask the user to run: memory trajectory clear")
    findings = [progress.standing for progress in session.progress.values() if progress.standing]
    name = line(state.get("session_id") or trajectory.folder.name.partition(".")[0])
    whose = " (yours)" if own else "" if asked else " (the latest here; whether it is yours is not known)"
    calls = counted(latest.call_index, "call")
    head = f"Session {name}{whose}: {calls}, the last {latest.timestamp:%Y-%m-%d %H:%M:%S} UTC."
    if not findings:
        return f"{head}\n{_NO_FINDINGS}"
    head += f" Worst finding: {worst(finding.severity for finding in findings)}."
    return _with_findings(head, render_all(findings, max(finding.timestamp for finding in findings)))


def _ask_if_several(place: Place) -> None:
    """Raise ToolError if several sessions are at work in the project, since another's all-clear would mislead."""
    sessions = sorted(place.sessions_at_work())
    if len(sessions) > 1:
        named = ", ".join(line(session, 60) for session in sessions)
        raise ToolError(
            f"{len(sessions)} sessions are at work in this project, and which is yours is not known; name it as "
            f"session_id: {named}"
        )


def _latest(project: str) -> store.Trajectory | None:
    return next((item for item in store.all_trajectories() if item.state().get("project") == project), None)


def _remote(client: Client, session_id: str | None, project: str | None) -> str:
    if session_id is None:
        sessions: list[dict[str, Any]] = client.get("/trajectory/sessions", {"project": project, "limit": 1})[
            "sessions"
        ]
        if not sessions:
            raise ToolError(_NO_CALLS.format(" there"))
        session_id = str(sessions[0]["session_id"])
    path = f"/trajectory/sessions/{_path_segment(session_id)}/assessment"
    about = client.get(path)
    head = f"Session {line(session_id)} of {line(about['user'])}: {about['calls']} calls."
    markdown = client.get_text(path, {"format": "markdown"})
    return _with_findings(head, markdown) if markdown.strip() else f"{head}\n{_NO_FINDINGS}"


def _path_segment(word: str) -> str:

    return quote(word, safe="")


def _with_findings(head: str, markdown: str) -> str:
    quotation = quoted(markdown.rstrip().removesuffix("---").rstrip())
    return cut(f"{head} {QUOTED}\n{quotation}", BUDGET, "the rest is in .wink/trajectory/assessment.md")


TOOLS = (
    Tool(
        "trajectory_status",
        "When you may be going in circles: the observers' findings in your recent calls (repeats, errors, stalls, "
        "drift).",
        _status,
        {"session_id": string("default: yours"), "project": string("over HTTP: the key of the project")},
        read_only=True,
    ),
)
