"""Observations as exported data."""

from __future__ import annotations

import pytest

from memoryserver.accounts.models import User
from obslog import log
from obslog.emit import emit
from obslog.models import Observation
from obslog.transfer import KIND
from tests.support.rows.observations import new


def test_item_has_what_was_appended_and_appending_it_again_changes_nothing(alice: User) -> None:
    log.append_all(alice, [new(message="moved", details="a\nb", data={"x": 1}, scope_ids=["task:2", "task:1"])])
    row = Observation.objects.get()
    item = KIND.item_of(KIND.rows().get())

    assert item == {
        "id": str(row.pk),
        "type": row.type,
        "source": row.source,
        "message": "moved",
        "details": "a\nb",
        "data": {"x": 1},
        "scope_ids": ["task:1", "task:2"],
    }
    assert KIND.load(alice, None, [item])[0].status == "unchanged"
    assert Observation.objects.count() == 1


def test_observations_of_a_server_are_not_appended(alice: User) -> None:
    emit(alice, type="user.signed_in", source="system:accounts", message="signed in")
    item = KIND.item_of(Observation.objects.get()) | {"id": "01935f4e-0000-7000-8000-000000000001"}

    assert KIND.load(alice, None, [item])[0].status == "unchanged"
    assert Observation.objects.count() == 1


@pytest.mark.parametrize("wrong", [{"id": "x"}, {"message": 1}, {"type": ""}])
def test_invalid_item_is_refused_and_the_others_are_appended(alice: User, wrong: dict[str, object]) -> None:
    item = {"id": "01935f4e-0000-7000-8000-000000000001", "type": "a.b", "source": "agent:x", "message": "m"}
    other = item | {"id": "01935f4e-0000-7000-8000-000000000002"}
    outcomes = KIND.load(alice, None, [item | wrong, other])

    assert [outcome.status for outcome in outcomes] == ["refused", "stored"]
    assert Observation.objects.count() == 1
