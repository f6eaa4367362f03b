"""Roles that do not own the log's tables can read and append, nothing else."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

import pytest
from django.core.management import call_command
from django.db import ProgrammingError, connection, transaction

from memoryserver.accounts.models import User
from obslog import log, months
from obslog.models import Observation
from tests.support.rows.observations import new

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
    assert months.revoke_changes() == ["PUBLIC", "web"]

    with web_role(), connection.cursor() as cursor:
        assert len(tables()) > 4
        for table in tables():
            for statement in (f"TRUNCATE {table} CASCADE", f"DELETE FROM {table}", f"UPDATE {table} SET user_id = 1"):
                with pytest.raises(ProgrammingError, match="permission denied"), transaction.atomic():
                    cursor.execute(statement)


def test_migrating_takes_the_privileges(web_role: Role) -> None:
    call_command("migrate", verbosity=0)

    assert months.revoke_changes() == []


def test_role_of_the_web_process_can_append_and_read(row: Observation, alice: User, web_role: Role) -> None:
    months.revoke_changes()

    with web_role():
        cursor = log.find_many(alice).cursor
        log.append(alice, new(message="by the web process", scope_ids=["x"]))
        assert [found.message for found in log.find_many(alice, cursor=cursor).observations] == ["by the web process"]


def test_role_that_owns_nothing_takes_nothing(web_role: Role) -> None:
    with web_role():
        assert months.revoke_changes() == []


def test_what_was_taken_is_taken_once(web_role: Role) -> None:
    months.revoke_changes()

    assert months.revoke_changes() == []
