"""The API of capture: queue files, and a failure for each that is rejected."""

from __future__ import annotations

import uuid
from typing import Any

import pytest

from capture import sink
from capture.models import Capture, CaptureFailure, Compaction, Learning
from memoryserver.accounts.models import User

PATH = "/api/v1/capture/queue-files"
ID = str(uuid.UUID(int=1))


def queue_file(**changes: Any) -> dict[str, Any]:
    learning = {"type": "gotcha", "content": "The backup holds the lock", "confidence": 0.9, "source_message_index": 45}
    return {
        "capture_id": ID,
        "context_id": "claude-code-7625",
        "captured_at": "2026-11-20T12:00:00Z",
        "message_range": [43, 50],
        "compaction_number": 0,
        "learnings": [learning],
        "metadata": {"project": "github.com/a/b", "agent_kind": "claude-code"},
        **changes,
    }


def deliver(client: Any, body: Any) -> Any:
    return client.post(PATH, body, content_type="application/json")


def test_delivered_file_is_stored_for_the_tokens_user_in_the_project_that_it_names(alice: User, api: Any) -> None:
    response = deliver(api(alice), queue_file())

    assert (response.status_code, response.json()) == (
        200,
        {"capture_id": ID, "stored": 1, "known": 0, "duplicate": False},
    )
    row = Learning.objects.get()
    assert (row.user, str(row.project), row.type) == (alice, "github.com/a/b", "gotcha")


def test_file_delivered_again_is_a_duplicate(alice: User, api: Any) -> None:
    client = api(alice)
    deliver(client, queue_file())

    assert deliver(client, queue_file()).json() == {"capture_id": ID, "stored": 0, "known": 0, "duplicate": True}
    assert (Capture.objects.count(), Learning.objects.get().seen_count) == (1, 1)


def test_same_capture_id_of_two_users_is_two_captures(alice: User, charlie: User, api: Any) -> None:
    assert [deliver(api(user), queue_file()).json()["stored"] for user in (alice, charlie)] == [1, 1]


def test_rejected_file_is_recorded_with_its_ids_and_reason(alice: User, api: Any) -> None:
    response = deliver(api(alice), queue_file(message_range=[5, 1]))

    failure = CaptureFailure.objects.get()
    assert response.status_code == 422
    assert (failure.user, failure.capture_id, failure.context_id) == (alice, ID, "claude-code-7625")
    assert failure.reason == response.json()["detail"]
    assert Learning.objects.count() == 0


def test_error_of_the_server_is_recorded_as_a_failure_of_the_file(
    alice: User, api: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*args: object) -> None:
        raise RuntimeError("a defect")

    monkeypatch.setattr(sink, "store", fail)

    assert deliver(api(alice), queue_file()).status_code == 500
    assert CaptureFailure.objects.values_list("capture_id", "reason").get() == (
        ID,
        "internal server error; see the server log",
    )


def test_compaction_reported_by_a_hook_is_new_once(alice: User, api: Any) -> None:
    body = {"id": ID, "context_id": "c", "trigger": "manual", "happened_at": "2026-11-20T11:50:00Z"}
    responses = [
        api(alice).post("/api/v1/capture/compactions", body, content_type="application/json") for _ in range(2)
    ]

    assert [response.json() for response in responses] == [{"id": ID, "new": True}, {"id": ID, "new": False}]
    assert Compaction.objects.get().project is None


@pytest.mark.parametrize("body", [b"{", b"[]", b"\xff", b'{"capture_id": 7}', b"[" * 100_000])
def test_what_is_no_queue_file_at_all_is_a_failure_too(alice: User, api: Any, body: bytes) -> None:
    answer = api(alice).post(PATH, body, content_type="application/json")

    assert 400 <= answer.status_code < 500
    assert CaptureFailure.objects.get().alerted_at is not None


def test_token_that_is_refused_is_no_failure_of_a_file(db: None, api: Any) -> None:
    api(None).post(PATH, {}, content_type="application/json")

    assert CaptureFailure.objects.count() == 0
