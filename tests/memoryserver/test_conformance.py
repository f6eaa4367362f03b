"""What schemathesis sends by the API's description gets no 5xx and no answer that the description does not allow.

bench/conformance.py does the same at length against a running server.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from django.core.handlers.wsgi import WSGIHandler
from django.core.signals import request_finished, request_started
from django.db import close_old_connections

from memoryserver.accounts import tokens
from memoryserver.accounts.models import User
from tests.support.requests.conformance import operations, try_operation

EXAMPLES = 2  # of each operation and kind
SCHEMA = schemathesis.openapi.from_wsgi("/api/v1/openapi.json", WSGIHandler())


@pytest.fixture(autouse=True)
def _one_connection() -> Iterator[None]:
    """Keep the test's connection and its transaction over the requests, as Django's test client does."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


@pytest.mark.parametrize("operation", [pytest.param(each, id=each.label) for each in operations(SCHEMA)])
def test_operation_answers_as_it_is_described(operation: Any, alice: User, settings: Any) -> None:
    settings.REQUESTS_PER_MINUTE = 0
    _, text = tokens.issue(alice, "fuzzer")

    assert try_operation(operation, text, examples=EXAMPLES) >= EXAMPLES
