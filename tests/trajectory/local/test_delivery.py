"""From the laptop's files to the server's table: each call once, oldest first, never by the hook."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memoryserver.accounts.models import User
from memoryserver.client import discarded, home_folder
from memoryserver.client.http import RefusedError, UnreachableError
from memoryserver.client.outbox import Outbox
from trajectory.local import delivery, recorder, store
from trajectory.local.calls import parse
from trajectory.models import AssessmentRecord, ToolCall, Trajectory

SERVER = "http://server"


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MEMORYSERVER_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("CLAUDE_PROJECT_DIR", raising=False)
    folder = tmp_path / "shop"
    (folder / ".git").mkdir(parents=True)
    return folder


def record(project: Path, n: int, session: str = "s", agent: str = "") -> store.Trajectory:
    given: dict[str, Any] = {
        "tool_name": "Read",
        "tool_input": {"n": n},
        "result": f"{n}",
        "session_id": session,
        "agent_id": agent,
    }
    return recorder.record_report(given, project).trajectory


@pytest.fixture
def post(alice: User, api: Any) -> Callable[[str, object], Any]:
    """Posts to the real API, as the laptop's client does."""
    client = api(alice)

    def send(path: str, body: object) -> Any:
        answer = client.post("/api/v1" + path, body, content_type="application/json")
        if answer.status_code >= 400:
            raise RefusedError(answer.json()["detail"], answer.status_code, answer.json())
        return answer.json()

    return send


def test_calls_arrive_in_order_once_and_with_their_project(post: Any, project: Path) -> None:
    for n in range(3):
        record(project, n)
    record(project, 7, agent="sub")
    first = delivery.deliver(post, SERVER)
    record(project, 3)
    second = delivery.deliver(post, SERVER)
    third = delivery.deliver(post, SERVER)

    assert [one.sent for one in (first, second, third)] == [4, 1, 0]
    calls = ToolCall.objects.filter(agent_id="").order_by("call_index")
    assert list(calls.values_list("call_index", "project__key")) == [(n, "shop") for n in (1, 2, 3, 4)]
    assert Trajectory.objects.count() == 2


def test_lost_cursor_sends_again_and_nothing_is_kept_twice(post: Any, project: Path) -> None:
    trajectory = record(project, 1)
    delivery.deliver(post, SERVER)
    (trajectory.folder / "sent.json").unlink()
    delivery.deliver(post, SERVER)

    assert ToolCall.objects.count() == 1


def test_other_server_gets_everything(project: Path) -> None:
    record(project, 1)
    bodies: list[Any] = []

    def take(path: str, body: Any) -> Any:
        bodies.append(body)
        return {"results": [{"id": one["id"], "status": "stored"} for one in body["calls"]]}

    for server in ("http://a", "http://b"):
        delivery.deliver(take, server)
    assert len(bodies) == 2


def test_unreachable_server_loses_nothing(post: Any, project: Path) -> None:
    def offline(path: str, body: object) -> Any:
        raise UnreachableError("away")

    record(project, 1)
    report = delivery.deliver(offline, SERVER)
    assert (report.later, report.unreachable, report.sent) == ("away", True, 0)
    assert delivery.deliver(post, SERVER).sent == 1


def refusing(status: int, bad: frozenset[int] | None = None, sizes: list[int] | None = None) -> Any:
    """A server that answers `status` to any batch with a call whose index is in `bad` (None: to every batch)."""

    def post(path: str, body: Any) -> Any:
        indexes = [call["call_index"] for call in body["calls"]]
        if sizes is not None:
            sizes.append(len(indexes))
        if bad is None or bad.intersection(indexes):
            raise RefusedError(f"refused ({status})", status, {})
        return {"results": [{"id": call["id"], "status": "stored"} for call in body["calls"]]}

    return post


@pytest.mark.parametrize("status", [400, 404, 405, 408, 409])
def test_status_that_says_nothing_against_the_calls_keeps_them_waiting(post: Any, project: Path, status: int) -> None:
    for n in range(5):
        record(project, n)
    for _ in range(3):
        assert delivery.deliver(refusing(status), SERVER).later == f"refused ({status})"

    assert delivery.deliver(post, SERVER).sent == 5
    assert ToolCall.objects.count() == 5


@pytest.mark.parametrize("status", [413, 422])
def test_refused_batch_is_halved_until_only_the_call_at_fault_is_set_aside(
    post: Any, project: Path, status: int
) -> None:
    for n in range(8):
        record(project, n)
    sizes: list[int] = []
    done = delivery.deliver(refusing(status, frozenset({3}), sizes), SERVER)

    assert (done.sent, done.failed, done.reason) == (7, 1, f"refused ({status})")
    assert sizes == [8, 4, 2, 2, 1, 1, 4]
    outbox = Outbox(home_folder.path(), delivery.OUTBOX_KIND)
    (path,) = outbox.failed()
    kept = json.loads(path.read_bytes())
    assert [call["call_index"] for call in kept["calls"]] == [3]
    assert (kept["session_id"], kept["project"]) == ("s", "shop")
    assert outbox.why_failed(path.stem) == f"refused ({status})"
    assert delivery.deliver(refusing(status), SERVER) == delivery.CallReport()


def test_call_that_was_set_aside_is_sent_again_when_asked_for(post: Any, project: Path) -> None:
    record(project, 1)
    delivery.deliver(refusing(422), SERVER)
    again = delivery.deliver(refusing(422), SERVER, retry_failed=True)
    then = delivery.deliver(post, SERVER, retry_failed=True)

    assert (again.failed, then.sent, ToolCall.objects.count()) == (1, 1, 1)
    outbox = Outbox(home_folder.path(), delivery.OUTBOX_KIND)
    assert (outbox.waiting(), outbox.failed()) == ([], [])


def test_call_that_the_server_refuses_in_its_answer_is_set_aside_with_its_reason(project: Path) -> None:
    record(project, 1)
    record(project, 2)

    def take(path: str, body: Any) -> Any:
        first, second = (call["id"] for call in body["calls"])
        return {"results": [{"id": first, "status": "stored"}, {"id": second, "status": "refused", "reason": "odd"}]}

    done = delivery.deliver(take, SERVER)
    outbox = Outbox(home_folder.path(), delivery.OUTBOX_KIND)

    assert (done.sent, done.failed) == (1, 1)
    assert [outbox.why_failed(path.stem) for path in outbox.failed()] == ["odd"]


@pytest.mark.parametrize("answer", [{}, {"results": []}, {"results": [None]}, [], "ok"])
def test_answer_that_names_no_result_for_each_call_moves_no_offset(post: Any, project: Path, answer: object) -> None:
    record(project, 1)
    assert delivery.deliver(lambda *_: answer, SERVER).later
    assert delivery.deliver(post, SERVER).sent == 1


def test_cleared_trajectory_begins_empty(post: Any, project: Path) -> None:
    trajectory = record(project, 1)
    delivery.deliver(post, SERVER)
    with trajectory.observing():
        trajectory.clear()
    record(project, 2)

    assert delivery.deliver(post, SERVER).sent == 1


def test_of_too_many_waiting_calls_the_oldest_are_dropped(
    post: Any, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trajectory = [record(project, n) for n in range(10)][-1]
    line = trajectory.size() // 10
    monkeypatch.setattr(delivery, "MAX_WAITING_BYTES", 4 * line)
    done = delivery.deliver(post, SERVER)

    assert done.discarded_bytes == trajectory.size() - 4 * line
    shown = ToolCall.objects.order_by("call_index").values_list("body__params_summary", flat=True)
    assert list(shown) == [f"n={n}" for n in range(10 - len(shown), 10)]


def test_line_that_is_still_being_written_waits(post: Any, project: Path) -> None:
    trajectory = record(project, 1)
    with (trajectory.folder / store.CALLS).open("a") as file:
        file.write('{"call_index": 2, "tool_')
    assert delivery.deliver(post, SERVER).sent == 1
    with (trajectory.folder / store.CALLS).open("a") as file:
        file.write("\n")
    record(project, 2)
    assert delivery.deliver(post, SERVER).sent == 1


def test_session_not_used_for_thirty_days_is_removed_once_it_is_sent(post: Any, project: Path) -> None:
    trajectory = record(project, 1)
    os.utime(trajectory.folder / store.CALLS, (1, 1))
    done = delivery.deliver(post, SERVER)

    assert (done.sent, done.removed, trajectory.folder.exists()) == (1, 1, False)


def test_ids_of_calls_are_hashes_of_their_lines(project: Path) -> None:
    record(project, 1)
    seen: list[str] = []

    def take(path: str, body: Any) -> Any:
        seen.extend(one["id"] for one in body["calls"])
        return {"results": [{"status": "stored"} for _ in body["calls"]]}

    delivery.deliver(take, SERVER)
    delivery.deliver(take, "http://other")
    assert seen[0] == seen[1]


def rows_of(trajectory: store.Trajectory) -> list[int]:
    return [row["call_index"] for row, _ in trajectory.rows_from(0, 1000) if row]


def test_oldest_sessions_go_first_and_what_was_unsent_is_counted(post: Any, project: Path) -> None:
    old, new = record(project, 1, "old"), record(project, 1, "new")
    delivery.deliver(post, SERVER)
    for n in range(2, 12):
        record(project, n, "old")
        record(project, n, "new")
    before = delivery.disk_use()
    os.utime(old.folder / store.CALLS, (1, 1))

    freed = delivery.shrink(old.size())

    assert freed == before - delivery.disk_use()
    assert (old.folder.exists(), rows_of(new)) == (False, list(range(1, 12)))
    assert discarded.load().tool_calls == 10  # the first had been sent


def test_session_that_goes_on_keeps_its_last_calls_and_their_numbers(post: Any, project: Path) -> None:
    for n in range(1, 11):
        trajectory = record(project, n)
    line = trajectory.size() // 10

    delivery.shrink(3 * line)
    kept = rows_of(trajectory)
    delivery.shrink(10**9)
    record(project, 99)

    assert kept[-1] == 10
    assert len(kept) in (6, 7)
    assert rows_of(trajectory) == [10, 11]
    assert delivery.deliver(post, SERVER).sent == 2


def test_what_was_sent_is_not_sent_again_after_the_oldest_went(post: Any, project: Path) -> None:
    for n in range(1, 11):
        trajectory = record(project, n)
    delivery.deliver(post, SERVER)
    record(project, 11)

    delivery.shrink(trajectory.size() // 2)

    assert delivery.deliver(post, SERVER).sent == 1
    assert (ToolCall.objects.count(), bool(discarded.load())) == (11, False)


def test_calls_beyond_the_window_are_counted(post: Any, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for n in range(1, 11):
        trajectory = record(project, n)
    monkeypatch.setattr(delivery, "MAX_WAITING_BYTES", trajectory.size() // 2)

    done = delivery.deliver(post, SERVER)

    assert done.sent + discarded.load().tool_calls == 10
    assert discarded.load().bytes == done.discarded_bytes


def test_call_carries_what_the_hook_notified_the_agent_of(post: Any, project: Path) -> None:
    report: dict[str, object] = {"tool_name": "Bash", "session_id": "s", "tool_input": {"command": "make"}}
    report |= {"error": "Exit code 2\nNo rule"}
    texts = [recorder.record(parse.read(report), project).tell for _ in range(4)]
    delivery.deliver(post, SERVER)

    notified = list(ToolCall.objects.order_by("call_index").values_list("notified", flat=True))
    assert [bool(text) for text in texts] == [False, False, True, False]
    assert [[observer for observer, _ in pairs] for pairs in notified] == [[], [], ["Repeated Call"], []]
    finding = AssessmentRecord.objects.get(observer="Repeated Call")
    assert (finding.told_at_call, notified[2]) == (3, [["Repeated Call", finding.identity]])
