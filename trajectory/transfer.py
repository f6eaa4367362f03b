"""Tool calls as a kind of data to export and import; findings are derived again."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any

from memoryserver.accounts.models import Project, User
from memoryserver.accounts.transfer.kinds import Kind, Outcome
from trajectory.intake import receive
from trajectory.models import ToolCall


def _item_of(row: ToolCall) -> dict[str, Any]:
    return {"session_id": row.session_id, "agent_id": row.agent_id, "call": row.body | {"id": row.call_id}}


def _load(user: User, project: Project | None, items: Sequence[dict[str, Any]]) -> Sequence[Outcome]:
    outcomes: list[Outcome] = []
    for (session, agent), group in groupby(items, key=_session_of):
        calls = [item.get("call") for item in group]
        if not session or not all(isinstance(call, dict) for call in calls):
            outcomes += [Outcome("refused", "a call needs a session_id and an object `call`")] * len(calls)
            continue
        received = receive(user, project, session, agent, calls, in_answer=False)  # type: ignore[arg-type]
        outcomes += [Outcome(receipt.status, receipt.reason or "") for receipt in received.results]
    return outcomes


def _session_of(item: dict[str, Any]) -> tuple[str, str]:
    return str(item.get("session_id") or ""), str(item.get("agent_id") or "")


KIND = Kind("trajectory.call", ToolCall.objects.all, _item_of, _load)
