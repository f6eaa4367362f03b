"""Nothing that was appended can be changed or taken out, by whatever way one tries."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pgtrigger
import pytest
from django.core.management import call_command
from django.db import DatabaseError, ProgrammingError, connection, transaction
from django.db.models import ProtectedError
from django.test import Client
from django.urls import reverse

from memoryserver.accounts.models import User
from memoryserver.common.ids import uuid7
from obslog import log, privileges
from obslog.models import Observation, Scope
from tests.obslog.entries import MOMENT, new


@pytest.fixture
def row(alice: User) -> Iterator[Observation]:
    """An observation, which at the end is still what it was."""
    receipt = log.append(alice, new(details="whole", data={"n": 1}, scope_ids=["task-1"]))
    row = Observation.objects.get(pk=str(receipt.id))
    yield row
    now = Observation.objects.get(pk=row.pk)
    assert (now.message, now.details, now.data, now.user) == (row.message, row.details, row.data, alice)
    assert now.scope_ids == ["task-1"]


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


def test_id_and_time_that_do_not_fit_cannot_be_inserted(alice: User) -> None:
    for identifier, moment in [(uuid7(MOMENT), MOMENT + 1), (uuid7(MOMENT), MOMENT - 1)]:
        with pytest.raises(DatabaseError, match="obslog_observation_time_in_id"), transaction.atomic():
            Observation.objects.create(
                id=identifier, user=alice, type="a", source="a:b", message="c", created_at=moment
            )


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


def test_user_with_observations_cannot_be_deleted(row: Observation, alice: User) -> None:
    with pytest.raises(ProtectedError, match=r"'Observation\.user'"):
        alice.delete()
    with pytest.raises(ProtectedError, match=r"'Observation\.user'"):
        User.objects.filter(pk=alice.pk).delete()
    with (
        pytest.raises(DatabaseError, match="obslog_observation_user_id_fkey"),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute("DELETE FROM accounts_user WHERE id = %s", [alice.pk])


def test_user_without_observations_can_be_deleted(row: Observation, charlie: User) -> None:
    charlie.delete()

    assert not User.objects.filter(username="charlie").exists()


def test_admin_says_why_a_user_cannot_be_deleted(row: Observation, alice: User, admin_client: Client) -> None:
    page = admin_client.get(reverse("admin:accounts_user_delete", args=[alice.pk])).content.decode()

    assert "Cannot delete user" in page
    assert "<li>observation</li>" in page


Role = Callable[[], contextlib.AbstractContextManager[None]]


@pytest.fixture
def web_role(db: None) -> Role:
    """A role as a careful operator's web process has: no owner, but granted all there is."""
    with connection.cursor() as cursor:
        cursor.execute("CREATE ROLE web")
        cursor.execute("GRANT ALL ON ALL TABLES IN SCHEMA public TO web")
        cursor.execute("GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO web")
        cursor.execute("GRANT TRUNCATE ON obslog_observation TO PUBLIC")

    @contextlib.contextmanager
    def in_role() -> Iterator[None]:
        with connection.cursor() as cursor:
            cursor.execute("SET ROLE web")
            yield
            cursor.execute("RESET ROLE")

    return in_role


def tables() -> list[str]:
    """Those of the log itself; what is beside it for the search changes all the time."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT relname FROM pg_class WHERE relname ~ '^obslog_(observation|scope)' AND relkind IN ('r', 'p')"
        )
        return [name for (name,) in cursor.fetchall()]


def test_role_of_the_web_process_can_neither_truncate_nor_change(row: Observation, web_role: Role) -> None:
    assert privileges.revoke_changes() == ["PUBLIC", "web"]

    with web_role(), connection.cursor() as cursor:
        assert len(tables()) > 4
        for table in tables():
            for statement in (f"TRUNCATE {table} CASCADE", f"DELETE FROM {table}", f"UPDATE {table} SET user_id = 1"):
                with pytest.raises(ProgrammingError, match="permission denied"), transaction.atomic():
                    cursor.execute(statement)


def test_migrating_takes_the_privileges(web_role: Role) -> None:
    call_command("migrate", verbosity=0)

    assert privileges.revoke_changes() == []


def test_role_of_the_web_process_can_append_and_read(row: Observation, alice: User, web_role: Role) -> None:
    privileges.revoke_changes()

    with web_role():
        cursor = log.find_many(alice).cursor
        log.append(alice, new(message="by the web process", scope_ids=["x"]))
        assert [found.message for found in log.find_many(alice, cursor=cursor).observations] == ["by the web process"]


def test_role_that_owns_nothing_takes_nothing(web_role: Role) -> None:
    with web_role():
        assert privileges.revoke_changes() == []


def test_what_was_taken_is_taken_once(web_role: Role) -> None:
    privileges.revoke_changes()

    assert privileges.revoke_changes() == []
