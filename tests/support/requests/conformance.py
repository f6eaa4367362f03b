"""Valid and invalid requests that schemathesis makes of the API's description, and what their responses must be."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import hypothesis
import schemathesis
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

CHECKS: list[Any] = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
_QUIET = [
    hypothesis.HealthCheck.too_slow,
    hypothesis.HealthCheck.filter_too_much,
    hypothesis.HealthCheck.data_too_large,
]


def operations(schema: Any) -> Iterator[Any]:
    """Yield the schema's operations; one that cannot be read fails here."""
    for each in schema.get_all_operations():
        yield each.ok()


def try_operation(operation: Any, token: str, *, examples: int, seed: int = 0) -> int:
    """Send `examples` valid and as many invalid requests; return how many were sent. Raises what a check raises.

    The requests are the same in every run with this `seed`.
    """
    sent = 0

    def attempt(case: Any) -> None:
        nonlocal sent
        sent += 1
        case.call_and_validate(headers={"Authorization": f"Bearer {token}"}, checks=CHECKS)

    for mode in schemathesis.GenerationMode:
        if mode is schemathesis.GenerationMode.NEGATIVE and not (operation.query or operation.body):
            continue  # nothing that could be invalid
        given = hypothesis.given(case=operation.as_strategy(generation_mode=mode))(attempt)
        settings = hypothesis.settings(
            max_examples=examples,
            database=None,
            deadline=None,
            suppress_health_check=_QUIET,
            phases=[hypothesis.Phase.explicit, hypothesis.Phase.generate],
        )
        hypothesis.seed(seed)(settings(given))()
    return sent
