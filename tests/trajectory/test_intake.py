from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction

from memoryserver.accounts.models import Project, User
from memoryserver.common.redaction import redact_value
from tests.support.agents.hook_events import failed
from tests.support.database.row_locks import after_waiting_for
from tests.support.rows.factories import UserFactory
from tests.support.rows.sent_calls import call, same
from tests.trajectory.sending import send
from trajectory import intake
from trajectory.intake import Receipt
from trajectory.local.calls.row import row_of
from trajectory.models import AssessmentRecord, ToolCall, Trajectory


def test_calls_are_kept_in_their_order_with_numbers_of_the_servers(alice: User) -> None:
    send(alice, call(1), call(2))
    send(alice, call(3))

    kept = ToolCall.objects.values_list("call_index", "call_id", "tool_name", "outcome")
    assert list(kept) == [(1, "c1", "Read", "ok"), (2, "c2", "Read", "ok"), (3, "c3", "Read", "ok")]


def test_call_is_stored_with_its_session_its_project_and_its_facts(alice: User, shared_project: Project) -> None:
    failing = {"tool_name": "Bash", "tool_input": {"command": "make"}, "error": "Exit code 2\nNo rule"}
    first, second = (datetime(2026, 1, 15, 14, 0, number, tzinfo=UTC) for number in (1, 2))
    calls = [call(2, timestamp=second.isoformat()), call(1, timestamp=first.isoformat(), **failing)]
    send(alice, *calls, session="s-1", agent="a-1", project=shared_project)

    trajectory = Trajectory.objects.get()
    assert (trajectory.user, trajectory.project, trajectory.calls_made) == (alice, shared_project, 2)
    assert (trajectory.session_id, trajectory.agent_id, trajectory.last_call_at) == ("s-1", "a-1", second)
    fields = ("user", "project", "trajectory", "session_id", "agent_id", "call_id", "call_index")
    of_session = (alice.pk, shared_project.pk, trajectory.pk, "s-1", "a-1")
    assert list(ToolCall.objects.values_list(*fields)) == [(*of_session, "c2", 1), (*of_session, "c1", 2)]
    assert list(ToolCall.objects.values_list("tool_name", "outcome", "made_at")) == [
        ("Read", "ok", second),
        ("Bash", "error", first),
    ]


def test_repetitions_and_streaks_go_on_from_one_batch_to_the_next(alice: User) -> None:
    for number in range(1, 4):
        send(alice, same(number))

    bodies = ToolCall.objects.values_list("body", flat=True)
    assert [(row["call_index"], row["repeats"], row["streak"]) for row in bodies] == [
        (1, 1, 1),
        (2, 2, 2),
        (3, 3, 3),
    ]


def test_session_is_not_kept_where_its_calls_cannot_be_stored(alice: User) -> None:
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE trajectory_toolcall ADD CONSTRAINT too_bad CHECK (tool_name <> 'Bad')")

    with pytest.raises(IntegrityError, match="too_bad"), transaction.atomic():
        send(alice, call(1), call(2, tool_name="Bad"))

    assert (Trajectory.objects.count(), ToolCall.objects.count()) == (0, 0)


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
            "not a row of a trajectory",
        ),
        (
            {"id": "x", "tool_name": "T", "params_summary": "", "success": 1, "outcome": "odd"},
            "not a row of a trajectory",
        ),
    ],
)
def test_bad_call_is_refused_by_name_and_holds_up_no_other(alice: User, bad: dict[str, Any], said: str) -> None:
    refused, good = send(alice, bad, call(2)).results

    assert (refused.status, said in str(refused.reason), good) == ("refused", True, Receipt("c2", "stored"))


def test_record_of_a_laptop_is_taken_as_it_is_but_redacted_and_numbered_again(alice: User) -> None:
    row = row_of({"tool_name": "Bash", "tool_input": {"command": "ls"}, "result": "x"})
    shown = "command=curl -H 'Authorization: Bearer ghp_0123456789abcdef0123456789abcdef0123'"
    send(alice, row | {"id": "r1", "call_index": 77, "repeats": 9, "params_summary": shown})

    body = ToolCall.objects.get().body
    assert (body["call_index"], body["repeats"], body["args_hash"]) == (1, 1, row["args_hash"])
    assert "ghp_0123" not in body["params_summary"]


def test_project_that_is_named_later_is_the_trajectorys(alice: User, shared_project: Project) -> None:
    send(alice, call(1))
    send(alice, call(2), project=shared_project)
    send(alice, call(3))

    assert Trajectory.objects.get().project == shared_project


def test_transcript_that_a_call_names_is_not_opened(alice: User, tmp_path: Path) -> None:
    transcript = tmp_path / "transcript.jsonl"
    message = {"message": {"id": "m1", "content": [{"type": "tool_use", "id": "toolu_0001"}]}}
    transcript.write_text(json.dumps(message) + "\n")
    call = failed(1, "Bash", {"command": "false"}, "Exit code 1") | {"transcript_path": str(transcript), "id": "1"}

    received = intake.receive(alice, None, "session", "", [call])

    assert [receipt.status for receipt in received.results] == ["stored"]
    assert ToolCall.objects.get().body["batch_id"] == ""


def test_malformed_notifications_of_a_record_are_left_out(alice: User) -> None:
    row = row_of(failed(1, "Bash", {"command": "false"}, "Exit code 1"))
    notified = [["Cycle", "x\x00" * 300], ["one"], "two", 3, ["Poll", 4, 5]]
    intake.receive(alice, None, "session", "", [row | {"id": "1", "notified": notified}], in_answer=False)

    assert ToolCall.objects.get().notified == [["Cycle", "x\ufffd" * 200]]


def test_notifications_are_taken_from_records_alone(alice: User) -> None:
    plain = {"id": "1", "tool_name": "Bash", "notified": [["Cycle", "x"]]}
    intake.receive(alice, None, "session", "", [plain])

    assert ToolCall.objects.get().notified == []


@pytest.mark.django_db(transaction=True)
def test_calls_of_a_session_that_come_at_once_are_numbered_one_after_the_other() -> None:
    alice = UserFactory(username="alice")
    send(alice, call(1))

    received = after_waiting_for(lambda: send(alice, call(2)), lambda: send(alice, call(3)))
    assert received.results == [Receipt("c3", "stored")]
    assert list(ToolCall.objects.values_list("call_id", "call_index")) == [("c1", 1), ("c2", 2), ("c3", 3)]
    assert Trajectory.objects.get().calls_made == 3


def test_session_has_the_title_and_branch_that_were_sent_first(alice: User) -> None:
    for number, about in enumerate(
        [intake.About(), intake.About("Fix the cart total", "fix/cart"), intake.About("Other", "main")]
    ):
        intake.receive(alice, None, "s", "", [call(number)], about=about)

    row = Trajectory.objects.get()
    assert (row.title, row.branch, row.name) == ("Fix the cart total", "fix/cart", "Fix the cart total")


def test_title_is_redacted_and_cut_and_a_sub_agent_has_one_of_its_own(alice: User) -> None:
    about = intake.About("Push with ghp_" + "a1B2" * 9 + " now " * 40, "")
    intake.receive(alice, None, "s", "", [call(1)], about=about)
    intake.receive(alice, None, "s", "a-1", [call(1)], about=intake.About("Explore"))

    main, sub = Trajectory.objects.order_by("agent_id")
    assert (main.title[:38], len(main.title), sub.title) == ("Push with [redacted:github-token] now ", 80, "Explore")


def test_session_starts_with_its_earliest_call_and_lasts_to_the_latest(alice: User) -> None:
    times = [datetime(2026, 1, 15, 14, minute, tzinfo=UTC) for minute in (5, 0, 30)]
    for number, moment in enumerate(times):
        send(alice, call(number, timestamp=moment.isoformat()))

    row = Trajectory.objects.get()
    assert (row.started_at, row.duration) == (times[1], times[2] - times[1])


def test_different_answers_are_still_different_after_redaction_of_the_laptops_records(alice: User) -> None:
    asked = [{"tool_name": "Bash", "tool_input": {"command": f"show {n}"}, "result": f"text {n}"} for n in range(6)]
    send(alice, *(redact_value(row_of(call(n, **fields)) | {"id": f"c{n}"}) for n, fields in enumerate(asked)))

    keys = {body["result_key"] for body in ToolCall.objects.values_list("body", flat=True)}
    assert (len(keys), AssessmentRecord.objects.count()) == (6, 0)
