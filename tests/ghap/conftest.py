"""Entries for the tests of the journal."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from ghap.intake import receive
from memoryserver.accounts.models import Project, User
from tests.support.rows.ghap_entries import body


@pytest.fixture
def send() -> Callable[..., None]:
    """`send(user, status, iterations, project=None, **changes)`: an entry of its own that came out so."""
    sent: list[str] = []

    def one(user: User, status: str, iterations: int = 1, project: Project | None = None, **changes: Any) -> None:
        sent.append(f"ghap_20261120_{len(sent):06d}_a1b2c3")
        captured_at = changes.pop("captured_at", "2026-11-20T14:50:00Z")
        outcome = {"status": status, "result": "seen", "captured_at": captured_at, "auto_captured": False}
        receive(user, project, [body(id=sent[-1], outcome=outcome, iteration_count=iterations, **changes)])

    return one
