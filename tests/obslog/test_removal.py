"""What a deleted user wrote in the log is replaced; the database refuses that for others, and any other change."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import DatabaseError, connection, transaction

from memoryserver.accounts import deletion
from memoryserver.accounts.models import User
from obslog import jobs, log
from obslog.emit import emit
from obslog.models import Observation, Scope
from tests.support.rows.observations import new

REMOVED = {
    "type": "removed",
    "source": "user:removed",
    "message": "removed with its user",
    "details": None,
    "data": None,
}


def written_by(user: User) -> Observation:
    content = {"details": "of a secret plan", "data": {"plan": "secret"}, "scope_ids": ["plan-9"]}
    log.append(user, new(message="A secret plan", **content))
    return Observation.objects.get(user=user)


def change(user: User, row: Observation, **fields: Any) -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT set_config('obslog.remove_of', %s, true)", [str(user.pk)])
        Observation.objects.filter(pk=row.pk).update(**fields)


def test_what_a_deleted_user_wrote_is_replaced_and_the_rest_stays(alice: User, bob: User) -> None:
    mine, other = written_by(alice), written_by(bob)
    emit(alice, type="user.signed_in", source="system:accounts", message="signed in", scope_ids=["a"])
    deletion.delete(alice)

    assert (jobs.remove_of_deleted(), jobs.remove_of_deleted()) == (1, 0)

    row = Observation.objects.get(pk=mine.pk)
    assert {name: getattr(row, name) for name in REMOVED} == REMOVED
    assert (row.user_id, row.created_at, row.arrival) == (mine.user_id, mine.created_at, mine.arrival)
    assert Observation.objects.get(pk=other.pk).message == "A secret plan"
    assert list(Scope.objects.filter(scope_id="plan-9").values_list("observation", flat=True)) == [other.pk]
    assert Scope.objects.filter(scope_id="a").exists()
    of_the_server = Observation.objects.filter(user=alice, category="system").order_by("arrival")
    assert list(of_the_server.values_list("type", "message")) == [
        ("user.signed_in", "signed in"),
        ("membership.ended", f"user {alice.pk} is not a member any more in team {bob.teams.get().pk}"),
    ]


def test_user_who_is_not_deleted_keeps_everything(alice: User) -> None:
    row = written_by(alice)

    assert jobs.remove_of_deleted() == 0
    with pytest.raises(DatabaseError, match="append-only"):
        change(alice, row, **REMOVED)
    assert Observation.objects.get().message == "A secret plan"


@pytest.mark.parametrize(
    "fields",
    [
        {"message": "other"},
        REMOVED | {"message": "other"},
        REMOVED | {"data": {"plan": "secret"}},
        REMOVED | {"arrival": 1},
        REMOVED | {"user_id": None},
    ],
)
def test_other_changes_to_a_deleted_users_observations_are_refused(alice: User, fields: dict[str, Any]) -> None:
    row = written_by(alice)
    deletion.delete(alice)

    with pytest.raises(DatabaseError, match="append-only"):
        change(alice, row, **fields)


def test_observations_of_the_server_and_rows_of_others_are_refused(alice: User, bob: User) -> None:
    emit(alice, type="token.issued", source="system:accounts", message="a token was made", scope_ids=["t"])
    others = written_by(bob)
    deletion.delete(alice)

    for row in (*Observation.objects.filter(user=alice), others):
        with pytest.raises(DatabaseError, match="append-only"):
            change(alice, row, **REMOVED)


def test_scope_ids_and_observations_cannot_be_deleted_otherwise(alice: User) -> None:
    written_by(alice)
    deletion.delete(alice)

    for table in ("obslog_scope", "obslog_observation"):
        with pytest.raises(DatabaseError, match="append-only"):
            delete_from(table, alice)


@transaction.atomic
def delete_from(table: str, user: User) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('obslog.remove_of', %s, true)", [str(user.pk)])
        cursor.execute(f"DELETE FROM {table} WHERE user_id = %s", [user.pk])
