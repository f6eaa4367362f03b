from __future__ import annotations

from datetime import UTC, datetime

from memoryserver.client import remote_key
from memoryserver.contract.vocabulary.examples import PROJECT, TIME


def test_time_is_one_that_the_api_writes() -> None:
    assert datetime.fromisoformat(TIME) == datetime(2026, 1, 15, 14, 5, tzinfo=UTC)


def test_project_is_a_key_as_the_client_makes_it() -> None:
    assert remote_key.of("git@github.com:crew/shop.git") == PROJECT
