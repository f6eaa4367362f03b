"""The server's own story: what is told is kept, and never breaks what is being done."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import transaction

from memoryserver.accounts.models import User
from obslog.emit import emit
from obslog.errors import InvalidObservationError
from obslog.models import Observation


def told(user: User | None, **changes: Any) -> Observation:
    emit(user, **{"type": "ghap.persisted", "source": "system:persister", "message": "persisted it", **changes})
    return Observation.objects.get()


def test_what_is_told_is_the_users(alice: User) -> None:
    row = told(alice, details="whole", data={"n": 1}, scope_ids=["b", "a"])

    assert (row.user, row.type, row.source) == (alice, "ghap.persisted", "system:persister")
    assert row.message == "persisted it"
    assert (row.details, row.data, row.scope_ids) == ("whole", {"n": 1}, ["a", "b"])


def test_what_concerns_the_server_alone_has_no_user(db: None) -> None:
    assert told(None, scope_ids=["x"]).user is None


def test_what_is_told_in_a_transaction_goes_with_it(alice: User) -> None:
    with transaction.atomic():
        told(alice)
        transaction.set_rollback(True)

    assert not Observation.objects.exists()


def test_what_is_too_long_is_cut(alice: User) -> None:
    row = told(alice, message="m" * 3000, details="d" * 200_000, scope_ids=["s" * 300])

    assert (row.message, row.details) == ("m" * 1999 + "…", "d" * 99_999 + "…")
    assert row.scope_ids == ["s" * 199 + "…"]


def test_empty_scope_ids_and_those_beyond_the_limit_are_dropped(alice: User) -> None:
    row = told(alice, scope_ids=["", *(f"{number:03}" for number in range(120)), ""])

    assert row.scope_ids == [f"{number:03}" for number in range(100)]


def test_message_of_nothing_but_blanks_becomes_the_type(alice: User) -> None:
    assert told(alice, message=" \n ").message == "ghap.persisted"


def test_data_that_cannot_be_kept_is_named_instead(alice: User) -> None:
    assert told(alice, data="x" * 100_000).data == {"left_out": "data must be at most 100000 bytes of JSON"}


def test_wrong_source_is_the_callers_fault(alice: User) -> None:
    with pytest.raises(InvalidObservationError, match="source must be category:identifier"):
        told(alice, source="persister")


def test_project_is_one_of_the_scope_ids(alice: User) -> None:
    emit(alice, type="a.b", source="system:test", message="m", scope_ids=["t-1"], project=7)
    assert Observation.objects.get().scope_ids == ["project:7", "t-1"]
