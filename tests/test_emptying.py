"""What the tests' own way to empty the database leaves behind (tests/support/database/emptying.py)."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import Permission
from django.contrib.contenttypes.models import ContentType
from django.db import connection

from capture.models import Learning
from memoryserver.accounts.models import Project, User
from obslog.emit import emit
from obslog.models import Observation
from tests.support.database import emptying
from tests.support.database.emptying import Emptying
from tests.support.rows import many_rows
from tests.support.rows.factories import UserFactory


@pytest.fixture
def method(transactional_db: None) -> Emptying:
    return Emptying()


def tables() -> set[str]:
    with connection.cursor() as cursor:
        return set(connection.introspection.table_names(cursor))


@pytest.mark.parametrize("large", [0, 10**9], ids=["truncated", "deleted"])
def test_rows_are_gone_and_permissions_stay(method: Emptying, large: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(emptying, "_LARGE", large)
    stay = [list(model.objects.order_by("pk").values()) for model in (ContentType, Permission)]
    user = UserFactory(username="ada")
    many_rows.learnings(user, 3)
    emit(user, type="note.taken", source="system:test", message="kept by a trigger", scope_ids=["a"])

    method.empty()

    assert [model.objects.count() for model in (User, Project, Learning, Observation)] == [0, 0, 0, 0]
    assert [list(model.objects.order_by("pk").values()) for model in (ContentType, Permission)] == stay


def test_permissions_that_a_test_deleted_are_made_again(method: Emptying) -> None:
    names = set(Permission.objects.values_list("codename", flat=True))
    Permission.objects.filter(codename="view_user").delete()
    UserFactory()

    method.empty()

    assert set(Permission.objects.values_list("codename", flat=True)) == names
    assert User.objects.count() == 0


def test_table_that_a_test_leaves_is_not_mistaken_for_one_of_the_schema(method: Emptying) -> None:
    before = tables()
    with connection.cursor() as cursor:
        cursor.execute("CREATE TABLE left_over (id int); INSERT INTO left_over VALUES (1)")
    UserFactory()
    try:
        method.empty()
        assert (User.objects.count(), tables() - before) == (0, {"left_over"})
        UserFactory()
        method.empty()  # it is known by now
        assert User.objects.count() == 0
    finally:
        with connection.cursor() as cursor:
            cursor.execute("DROP TABLE left_over")
