from __future__ import annotations

from typing import Any

import pytest
from django.conf import LazySettings
from django_q.models import OrmQ

from memoryserver.accounts.models import Project, User
from obslog.models import Observation
from tests.trajectory.sent import call, same
from trajectory import jobs
from trajectory.intake import Receipt, receive
from trajectory.local.calls.row import row_of
from trajectory.models import AssessmentRecord, ToolCall, Trajectory


def send(
    user: User, *calls: dict[str, Any], session: str = "s", agent: str = "", project: Project | None = None
) -> Any:
    return receive(user, project, session, agent, calls)


def test_calls_are_kept_in_their_order_with_numbers_of_the_servers(alice: User) -> None:
    send(alice, call(1), call(2))
    send(alice, call(3))

    kept = ToolCall.objects.values_list("call_index", "call_id", "tool_name", "outcome")
    assert list(kept) == [(1, "c1", "Read", "ok"), (2, "c2", "Read", "ok"), (3, "c3", "Read", "ok")]


def test_call_that_comes_again_is_unchanged(alice: User) -> None:
    send(alice, call(1))

    assert send(alice, call(1), call(1), call(2)).results == [
        Receipt("c1", "unchanged"),
        Receipt("c1", "unchanged"),
        Receipt("c2", "stored"),
    ]
    assert Trajectory.objects.get().calls_made == ToolCall.objects.count() == 2


def test_same_id_of_two_users_two_sessions_and_a_sub_agent_is_four_calls(alice: User, bob: User) -> None:
    for user, session, agent in ((alice, "s", ""), (bob, "s", ""), (alice, "t", ""), (alice, "s", "a")):
        send(user, call(1), session=session, agent=agent)

    assert (ToolCall.objects.count(), Trajectory.objects.count()) == (4, 4)


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        ({"tool_name": "T"}, "a call needs a unique id"),
        ({"id": "x"}, "a tool call needs its tool_name"),
        ({"id": "x", "tool_name": "T", "timestamp": "today"}, "timestamp must be ISO 8601"),
        (
            {"id": "x", "tool_name": "T", "params_summary": "", "success": True, "timestamp": 3},
            "no row of a trajectory",
        ),
        ({"id": "x", "tool_name": "T", "params_summary": "", "success": 1, "outcome": "odd"}, "no row of a trajectory"),
    ],
)
def test_bad_call_is_refused_by_name_and_holds_up_no_other(alice: User, bad: dict[str, Any], said: str) -> None:
    refused, good = send(alice, bad, call(2)).results

    assert (refused.status, said in str(refused.reason), good) == ("refused", True, Receipt("c2", "stored"))


def test_record_of_a_laptop_is_taken_as_it_is_but_redacted_and_numbered_anew(alice: User) -> None:
    row = row_of({"tool_name": "Bash", "tool_input": {"command": "ls"}, "result": "x"})
    shown = "command=curl -H 'Authorization: Bearer ghp_0123456789abcdef0123456789abcdef0123'"
    send(alice, row | {"id": "r1", "call_index": 77, "repeats": 9, "params_summary": shown})

    body = ToolCall.objects.get().body
    assert (body["call_index"], body["repeats"], body["args_hash"]) == (1, 1, row["args_hash"])
    assert "ghp_0123" not in body["params_summary"]


def test_third_repetition_is_told_kept_and_logged(alice: User, shared_project: Project) -> None:
    received = [send(alice, same(n), project=shared_project) for n in (1, 2, 3)]

    assert [bool(one.tell) for one in received] == [False, False, True]
    found = AssessmentRecord.objects.get(observer="Repeated Call")
    assert (found.observer, found.severity, found.began_at_call, found.told_at_call, found.ended_at_call) == (
        "Repeated Call",
        "caution",
        3,
        3,
        None,
    )
    assert (found.project, Trajectory.objects.get().worst) == (shared_project, "caution")
    logged = Observation.objects.get()
    assert (logged.type, logged.source, logged.user) == ("trajectory.caution", "system:trajectory", alice)
    assert list(logged.scopes.values_list("scope_id", flat=True)) == ["s"]


def test_finding_ends_when_its_pattern_breaks(alice: User) -> None:
    send(alice, *[same(n) for n in (1, 2, 3)], *[call(n) for n in range(4, 10)])

    assert AssessmentRecord.objects.get(observer="Repeated Call").ended_at_call == 7
    assert Trajectory.objects.get().worst == ""


def test_finding_that_gets_worse_is_one_row_and_two_observations(alice: User) -> None:
    for n in range(1, 7):
        send(alice, same(n))

    assert AssessmentRecord.objects.get(observer="Repeated Call").severity == "warning"
    types = Observation.objects.filter(message__startswith="Repeated Call").order_by("created_at", "id")
    assert list(types.values_list("type", flat=True)) == ["trajectory.caution", "trajectory.warning"]


def found_in(user: User, session: str, size: int) -> list[tuple[Any, ...]]:
    """What is found in the same calls when they are sent `size` at a time."""
    calls = [*[call(n) for n in range(3)], *[same(n) for n in range(3, 12)], *[call(n) for n in range(12, 20)]]
    for start in range(0, len(calls), size):
        send(user, *calls[start : start + size], session=session)
    rows = AssessmentRecord.objects.filter(trajectory__session_id=session).order_by("began_at_call", "observer")
    return list(rows.values_list("observer", "severity", "began_at_call", "told_at_call", "ended_at_call"))


def test_assessments_are_the_same_however_the_calls_are_cut(alice: User) -> None:
    one_by_one = found_in(alice, "s1", 1)

    assert ("Repeated Call", "warning", 6, 9, 16) in one_by_one
    assert [found_in(alice, f"s{size}", size) for size in (4, 50)] == [one_by_one, one_by_one]


class Loud:
    """An observer of the server's own."""

    name = "Loud"

    def should_run(self, session: Any, *, context: Any) -> bool:
        return True

    def observe(self, session: Any, *, context: Any) -> Any:
        raise RuntimeError("no")


def test_observers_of_the_settings_run_in_the_job_and_a_raising_or_missing_one_is_passed_over(
    alice: User, settings: LazySettings
) -> None:
    settings.MEMORYSERVER_TRAJECTORY_OBSERVERS = ["tests.trajectory.test_intake.Loud", "no.such.thing"]
    received = send(alice, *[same(n) for n in range(12)])

    assert (received.tell, OrmQ.objects.count(), AssessmentRecord.objects.count()) == ("", 1, 0)
    assert jobs.assess_pending() == 1
    assert Trajectory.objects.get().memory["observers"]["Loud"]["last_failure"] == "RuntimeError: no"
    assert AssessmentRecord.objects.filter(observer="Repeated Call").exists()


def test_job_has_nothing_to_do_where_all_was_seen(alice: User) -> None:
    send(alice, call(1))

    assert (OrmQ.objects.count(), jobs.assess_pending()) == (0, 0)


def test_project_that_is_named_later_is_the_trajectorys(alice: User, shared_project: Project) -> None:
    send(alice, call(1))
    send(alice, call(2), project=shared_project)
    send(alice, call(3))

    assert Trajectory.objects.get().project == shared_project
