"""Observations as documents: read by their owner alone, with their neighbours in time."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memoryserver.accounts.models import User
from obslog import log, reading
from tests.support.rows.observations import MOMENT, new


def append(user: User | None, step: int, message: str, **fields: object) -> str:
    """Append an observation `step` milliseconds after MOMENT and return its key."""
    return str(log.append(user, new(created_at=MOMENT + step, message=message, **fields)).id)


def titles(user: User, key: str, side: str, limit: int = 10) -> list[str]:
    (here,) = reading.read(user, key)
    documents = reading.near(user, here, "before" if side == "before" else "after", limit)
    return [document.title for document in sorted(documents, key=lambda document: document.key)]


def test_observation_is_read_with_its_full_text_and_provenance(alice: User) -> None:
    key = append(alice, 0, "moved on", details="from open\nto done", data={"n": 1}, scope_ids=["t2", "t1"])

    (document,) = reading.read(alice, key)

    assert (document.id, document.kind, document.user) == (f"observations/{key}", "task.updated", "alice")
    assert (document.title, document.text) == ("moved on", "moved on\n\nfrom open\nto done")
    assert document.created_at == datetime.fromtimestamp(MOMENT / 1000, UTC)
    assert document.details == {
        "type": "task.updated",
        "source": "agent:abc123",
        "scope_ids": ["t1", "t2"],
        "data": {"n": 1},
    }
    assert document.threads == {"t1", "t2", "abc123"}
    assert document.project is None


def test_text_without_details_is_the_message(alice: User) -> None:
    (document,) = reading.read(alice, append(alice, 0, "moved on"))

    assert document.text == "moved on"


@pytest.mark.parametrize("key", ["", "7", "not-an-id", "018bcfe5-6800-7000-900f-5f5bc88d7e45"])
def test_key_of_no_observation_reads_nothing(key: str, alice: User) -> None:
    append(alice, 0, "moved on")

    assert reading.read(alice, key) == []


def test_observation_of_another_user_or_of_the_server_is_not_read(alice: User, bob: User) -> None:
    assert reading.read(bob, append(alice, 0, "private")) == []
    assert reading.read(bob, append(None, 0, "internal")) == []


def test_neighbours_share_a_scope_id_or_the_source(alice: User) -> None:
    append(alice, 0, "same task", source="ci:1", scope_ids=["task"])
    append(alice, 1, "same source")
    append(alice, 2, "unrelated", source="ci:2", scope_ids=["other"])
    key = append(alice, 3, "here", scope_ids=["task"])
    append(alice, 4, "later", source="ci:3", scope_ids=["task"])

    assert titles(alice, key, "before") == ["same task", "same source", "here"]
    assert titles(alice, key, "after") == ["later"]


def test_neighbours_next_to_the_document_are_returned_first(alice: User) -> None:
    keys = [append(alice, step, str(step)) for step in range(7)]

    assert titles(alice, keys[3], "before", 2) == ["2", "3"]
    assert titles(alice, keys[3], "after", 2) == ["4", "5"]


def test_neighbours_of_other_users_and_events_of_the_server_are_left_out(alice: User, bob: User) -> None:
    key = append(alice, 0, "here", scope_ids=["task"])
    append(bob, 1, "of bob", scope_ids=["task"])
    append(alice, 2, "of the server", source="system:ghap", scope_ids=["task"])

    assert titles(alice, key, "after") == []
