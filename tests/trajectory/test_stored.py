"""The statements that every call runs: the lock, what numbering needs of earlier calls, and the rows themselves."""

from __future__ import annotations

from django.db import connection
from django.test.utils import CaptureQueriesContext

from memoryserver.accounts.models import Project, User
from tests.support.rows.sent_calls import call, same
from trajectory import stored
from trajectory.intake import receive
from trajectory.local.calls import repeats
from trajectory.models import ToolCall, Trajectory


def test_row_is_the_stored_one_and_none_of_another_agent_or_user(alice: User, bob: User) -> None:
    receive(alice, None, "s", "", [call(1)])

    assert stored.lock(alice, "s", "") == Trajectory.objects.get()
    assert stored.lock(alice, "s", "agent") is None
    assert stored.lock(bob, "s", "") is None


def test_earlier_calls_are_the_latest_thirty_with_what_numbering_reads(alice: User) -> None:
    receive(alice, None, "s", "", [same(n) for n in range(1, 41)])
    trajectory = Trajectory.objects.get()

    earlier = stored.earlier(trajectory, ["c3", "c40", "c99"])

    bodies = [row.body for row in trajectory.calls.order_by("call_index")][-repeats.WITHIN :]
    assert earlier.stored == {"c3", "c40"}
    assert [row["streak"] for row in earlier.latest] == [body["streak"] for body in bodies]
    new = bodies[-1] | {"call_index": 41}
    assert repeats.relations(earlier.latest, new) == repeats.relations(bodies, new)


def test_numbering_reads_nothing_that_is_not_fetched(alice: User) -> None:
    read: set[str] = set()

    class Watched(dict[str, object]):
        def get(self, key: str, default: object = None) -> object:
            read.add(key)
            return super().get(key, default)

        def __getitem__(self, key: str) -> object:
            read.add(key)
            return super().__getitem__(key)

    receive(alice, None, "s", "", [same(1), call(2), same(3)])
    bodies = [Watched(row.body) for row in ToolCall.objects.order_by("call_index")]
    repeats.relations(bodies[:2], dict(bodies[2]))

    assert read <= set(stored._FIELDS)


def test_calls_are_stored_with_all_their_fields(alice: User, shared_project: Project) -> None:
    notified = [["Repeated Call", "make"]]
    receive(alice, shared_project, "s", "a", [call(1, tool_name="Bäsh\u0000"), call(2)])
    first = ToolCall.objects.get(call_index=1)
    again = ToolCall(**{name: getattr(first, name) for name in ("tool_name", "outcome", "made_at", "body")})
    again.call_id, again.call_index, again.notified = "later", 3, notified

    stored.insert(Trajectory.objects.get(), [again])

    row = ToolCall.objects.get(call_id="later")
    same_fields = ("user_id", "project_id", "trajectory_id", "session_id", "agent_id", "tool_name", "made_at", "body")
    assert [getattr(row, name) for name in same_fields] == [getattr(first, name) for name in same_fields]
    assert (row.notified, row.call_index) == (notified, 3)


def test_quiet_call_costs_four_statements_in_its_callers_transaction(alice: User) -> None:
    for n in range(1, 3):
        receive(alice, None, "s", "", [call(n)])
    trajectory = Trajectory.objects.get()
    trajectory.memory["plan"] |= {"at_call": 1000, "at_time": None}
    trajectory.save()

    with CaptureQueriesContext(connection) as sent:
        receive(alice, None, "s", "", [call(3)])

    assert Trajectory.objects.get().observed_through == 3
    assert [query["sql"].split()[0] for query in sent] == ["SELECT", "SELECT", "INSERT", "UPDATE"]
