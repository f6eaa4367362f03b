"""Triggers reject every change to the log, through the ORM, SQL, the admin or fixtures."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from pathlib import Path

import pgtrigger
import pytest
from django.core.management import call_command
from django.db import DatabaseError, connection, transaction
from django.test import Client
from django.urls import reverse

from memoryserver.accounts.models import User
from obslog.models import Observation, Scope


@contextlib.contextmanager
def refused(operation: str, table: str = r"obslog_observation_\w+") -> Iterator[None]:
    said = f"the observation log is append-only: {operation} of {table} is refused"
    with pytest.raises(DatabaseError, match=said), transaction.atomic():
        yield


def test_orm_cannot_change_it(row: Observation) -> None:
    with refused("UPDATE"):
        Observation.objects.update(message="other")
    with refused("UPDATE"):
        changed = Observation.objects.get(pk=row.pk)
        changed.message = "other"
        changed.save()
    with refused("UPDATE"):
        Observation.objects.bulk_update([Observation(pk=row.pk, message="other")], ["message"])


def test_orm_cannot_take_it_out(row: Observation) -> None:
    scope = r"obslog_scope_\w+"
    with refused("DELETE"):
        Observation.objects.filter(pk=row.pk).delete()
    with refused("DELETE"):
        Observation.objects.get(pk=row.pk).delete()
    with refused("DELETE"):
        Observation.objects.all()._raw_delete("default")
    with refused("DELETE", scope):
        Scope.objects.all().delete()
    with refused("UPDATE", scope):
        Scope.objects.update(scope_id="other")


def test_orm_cannot_replace_it(row: Observation) -> None:
    other = Observation(
        id=row.pk, user=row.user, type="a", source="a:b", message="other", created_at=row.created_at, data=None
    )
    with refused("UPDATE"):
        Observation.objects.bulk_create([other], update_conflicts=True, unique_fields=["id"], update_fields=["message"])


STATEMENTS = [
    ("UPDATE", "UPDATE obslog_observation SET message = 'other'"),
    ("UPDATE", "UPDATE obslog_observation SET data = NULL WHERE id = '{id}'"),
    ("UPDATE", "UPDATE {partition} SET message = 'other'"),
    ("DELETE", "DELETE FROM obslog_observation"),
    ("DELETE", "DELETE FROM {partition} WHERE id = '{id}'"),
    (
        "UPDATE",
        """INSERT INTO obslog_observation (id, type, source, message, created_at)
        VALUES ('{id}', 'a', 'a:b', 'other', {created_at}) ON CONFLICT (id) DO UPDATE SET message = 'other'""",
    ),
    (
        "DELETE",
        """MERGE INTO obslog_observation AS old USING (SELECT '{id}'::uuid AS id) AS new ON old.id = new.id
        WHEN MATCHED THEN DELETE""",
    ),
    ("UPDATE", "WITH changed AS (UPDATE obslog_observation SET type = 'b' RETURNING 1) SELECT * FROM changed"),
]


@pytest.mark.parametrize(("operation", "statement"), STATEMENTS)
def test_sql_cannot(row: Observation, operation: str, statement: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT tableoid::regclass::text FROM obslog_observation WHERE id = %s", [row.pk])
        (partition,) = cursor.fetchone()
        with refused(operation):
            cursor.execute(statement.format(id=row.pk, partition=partition, created_at=row.created_at))


def test_scopes_cannot_be_changed_by_sql(row: Observation) -> None:
    with connection.cursor() as cursor:
        with refused("UPDATE", r"obslog_scope_\w+"):
            cursor.execute("UPDATE obslog_scope SET scope_id = 'other'")
        with refused("DELETE", r"obslog_scope_\w+"):
            cursor.execute("DELETE FROM obslog_scope")


def test_setting_that_lets_triggers_of_the_package_be_ignored_does_not_help(row: Observation) -> None:
    with pgtrigger.ignore("obslog.Observation:append_only", "obslog.Scope:append_only"), refused("DELETE"):
        Observation.objects.all()._raw_delete("default")


def test_admin_offers_and_takes_no_change(row: Observation, admin_client: Client) -> None:
    change = reverse("admin:obslog_observation_change", args=[row.pk])
    listing = reverse("admin:obslog_observation_changelist")

    assert admin_client.get(change).status_code == 200
    assert admin_client.post(change, {"message": "other"}).status_code == 403
    deletion = reverse("admin:obslog_observation_delete", args=[row.pk])
    assert admin_client.post(deletion, {"post": "yes"}).status_code == 403
    assert admin_client.get(reverse("admin:obslog_observation_add")).status_code == 403
    admin_client.post(listing, {"action": "delete_selected", "_selected_action": [str(row.pk)], "post": "yes"})
    assert Observation.objects.filter(pk=row.pk).exists()


def test_loaddata_cannot_replace_it(row: Observation, tmp_path: Path) -> None:
    fixture = tmp_path / "log.json"
    fields = {"type": "a", "source": "a:b", "message": "other", "created_at": row.created_at, "user": row.user_id}
    fixture.write_text(json.dumps([{"model": "obslog.observation", "pk": str(row.pk), "fields": fields}]))

    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
        call_command("loaddata", fixture, verbosity=0)


def test_user_with_observations_is_deleted_in_the_admin_and_the_observations_stay(
    row: Observation, alice: User, admin_client: Client
) -> None:
    response = admin_client.post(reverse("admin:accounts_user_delete", args=[alice.pk]), {"post": "yes"})

    assert response.status_code == 302
    assert Observation.objects.filter(pk=row.pk).exists()
    assert User.objects.filter(username="alice").count() == 0
