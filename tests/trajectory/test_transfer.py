"""Tool calls as exported data."""

from __future__ import annotations

from typing import Any

from memoryserver.accounts.models import User
from tests.support.rows.sent_calls import call, same
from trajectory.intake import receive
from trajectory.models import AssessmentRecord, ToolCall, Trajectory
from trajectory.transfer import KIND


def test_calls_are_stored_again_once_in_their_sessions_with_their_findings(alice: User, charlie: User) -> None:
    receive(alice, None, "s-1", "", [same(number) for number in range(1, 6)])
    receive(alice, None, "s-1", "sub", [call(1)])
    items = [KIND.item_of(row) for row in ToolCall.objects.order_by("pk")]
    statuses = [[outcome.status for outcome in KIND.load(charlie, None, items)] for _ in range(2)]

    assert statuses == [["stored"] * 6, ["unchanged"] * 6]
    found = (
        Trajectory.objects.filter(user=charlie).order_by("agent_id").values_list("session_id", "agent_id", "calls_made")
    )
    assert list(found) == [("s-1", "", 5), ("s-1", "sub", 1)]
    observers = [
        set(AssessmentRecord.objects.filter(user=user).values_list("observer", flat=True)) for user in (alice, charlie)
    ]
    assert observers[0] == observers[1] != set()


def test_item_without_session_or_call_is_refused(alice: User) -> None:
    items: list[dict[str, Any]] = [
        {"call": call(1)},
        {"session_id": "s-1", "call": 1},
        {"session_id": "s-2", "call": call(1)},
    ]
    assert [outcome.status for outcome in KIND.load(alice, None, items)] == ["refused", "refused", "stored"]
