"""The API of capture: queue files, and a failure for each that is rejected."""

from __future__ import annotations

from typing import Any

import pytest

from capture.models import CaptureFailure
from memoryserver.accounts.models import User


@pytest.mark.parametrize("body", [b"{", b"[]", b"\xff", b'{"capture_id": 7}', b"[" * 100_000])
def test_what_is_no_queue_file_at_all_is_a_failure_too(alice: User, api: Any, body: bytes) -> None:
    answer = api(alice).post("/api/v1/capture/queue-files", body, content_type="application/json")

    assert 400 <= answer.status_code < 500
    assert CaptureFailure.objects.get().alerted_at is not None


def test_token_that_is_refused_is_no_failure_of_a_file(db: None, api: Any) -> None:
    api(None).post("/api/v1/capture/queue-files", {}, content_type="application/json")

    assert CaptureFailure.objects.count() == 0
