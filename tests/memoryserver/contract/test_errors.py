"""Which errors an operation declares follows from what it takes."""

from __future__ import annotations

import pytest

from memoryserver.contract import errors


def test_statuses_follow_from_token_parameters_and_body() -> None:
    assert errors.statuses("/api/v1/device/code", "post", {}) == [400, 429, 500, 503]
    assert errors.statuses("/api/v1/whoami", "get", {"security": [{}]}) == [400, 401, 403, 429, 500, 503]
    assert errors.statuses("/api/v1/learnings/{key}", "patch", {"parameters": [{}], "requestBody": {}}) == [
        *(400, 404, 409, 413, 415, 422, 429, 500, 503),
    ]


@pytest.mark.parametrize("status", [429, 503])
def test_limit_and_outage_say_when_to_try_again(status: int) -> None:
    assert "Retry-After" in errors.components()["responses"][f"Problem{status}"]["headers"]
