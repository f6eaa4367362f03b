"""A statement that was made once gives what the queryset gives, whatever is put into it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.db.models import BooleanField, ExpressionWrapper, Model, Q
from django.test.utils import CaptureQueriesContext
from django.utils.connection import ConnectionDoesNotExist

from memoryserver.accounts.models import Project, User
from memoryserver.accounts.visibility import visible_projects
from memoryserver.hooks.models import HookSession
from memoryserver.statements.compiled import IDS, TEXT, TIME, USER, CompiledRows

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)


def test_each_use_has_the_rows_of_its_own_ids(alice: User, bob: User) -> None:
    compiled = CompiledRows(lambda: User.objects.filter(pk__in=[IDS]).order_by("username").values_list("username"))

    assert compiled.rows(ids=[alice.pk, bob.pk]) == [(alice.username,), (bob.username,)]
    assert compiled.rows(ids=[bob.pk]) == [(bob.username,)]
    assert compiled.rows(ids=[]) == []


def test_queryset_of_ids_is_a_part_of_the_statement(alice: User, bob: User) -> None:
    names = User.objects.filter(pk__in=[IDS], last_login=None).exclude(username="%s").values_list("username", "email")
    compiled = CompiledRows(lambda: names)
    emails = [f"{user.username}@example.org" for user in (alice, bob)]
    for user, email in zip((alice, bob), emails, strict=True):
        User.objects.filter(pk=user.pk).update(email=email)

    with CaptureQueriesContext(connection) as captured:
        rows = [compiled.rows(ids=User.objects.filter(email=email).values("pk")) for email in emails]

    assert (rows, len(captured)) == ([[("alice", emails[0])], [("bob", emails[1])]], 2)


def test_queryset_that_is_known_to_be_empty_gives_no_row_and_asks_nothing(alice: User) -> None:
    compiled = CompiledRows(lambda: User.objects.filter(pk__in=[IDS]).values_list("pk"))

    with CaptureQueriesContext(connection) as captured:
        assert compiled.rows(ids=User.objects.none()) == []

    assert len(captured) == 0


def test_time_is_that_of_the_use(alice: User) -> None:
    early = ExpressionWrapper(Q(date_joined__lt=TIME), output_field=BooleanField())
    compiled = CompiledRows(lambda: User.objects.filter(pk__in=[IDS]).values_list(early))
    User.objects.update(date_joined=NOW)

    assert compiled.rows(ids=[alice.pk], time=NOW) == [(False,)]
    assert compiled.rows(ids=[alice.pk], time=NOW + timedelta(seconds=1)) == [(True,)]


def test_time_may_be_used_several_times(alice: User) -> None:
    joined = User.objects.filter(Q(date_joined__lt=TIME) | Q(last_login__lt=TIME), pk__in=[IDS]).values_list("pk")
    compiled = CompiledRows(lambda: joined)
    User.objects.update(date_joined=NOW, last_login=NOW)

    assert [compiled.rows(ids=[alice.pk], time=NOW + timedelta(seconds=late)) for late in (0, 1)] == [[], [(alice.pk,)]]


def test_text_is_that_of_the_use(alice: User, bob: User) -> None:
    compiled = CompiledRows(lambda: User.objects.filter(username=TEXT).values_list("pk"))

    assert [compiled.rows(text=name) for name in ("alice", "bob", "nobody")] == [[(alice.pk,)], [(bob.pk,)], []]


def test_user_is_that_of_the_use_and_without_one_nothing_is_seen(
    alice: User, bob: User, charlie: User, shared_project: Project
) -> None:
    compiled = CompiledRows(lambda: visible_projects(User(pk=USER)).values_list("key"))

    assert [compiled.rows(user=user.pk) for user in (alice, bob, charlie)] == [[(shared_project.key,)]] * 2 + [[]]
    assert compiled.rows(user=None) == []


@pytest.mark.parametrize("is_planned_once", [True, False])
def test_statement_is_prepared_if_it_is_planned_once(alice: User, *, is_planned_once: bool) -> None:
    compiled = CompiledRows(
        lambda: User.objects.filter(pk=USER).values_list("username", "email"), is_planned_once=is_planned_once
    )

    assert [compiled.rows(user=alice.pk) for _ in range(3)] == [[(alice.username, alice.email)]] * 3

    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE %s",
            ['SELECT "accounts_user"."username" AS "username", "accounts_user"."email"%'],
        )
        assert cursor.fetchone() == (int(is_planned_once),)


def test_values_are_converted_as_those_of_a_queryset(alice: User) -> None:
    session = HookSession.objects.create(user=alice, session_id="s", memory={"a": [1, {"b": None}]})
    compiled = CompiledRows(lambda: HookSession.objects.filter(pk__in=[IDS]).values_list("memory"))

    assert compiled.rows(ids=[session.pk]) == [({"a": [1, {"b": None}]},)]


def test_queryset_is_built_once(alice: User) -> None:
    built = []

    def build() -> object:
        built.append(1)
        return User.objects.filter(pk__in=[IDS]).values_list("pk")

    compiled = CompiledRows(build)  # type: ignore[arg-type]
    with CaptureQueriesContext(connection) as captured:
        for _ in range(3):
            compiled.rows(ids=[alice.pk])

    assert (len(built), len(captured)) == (1, 3)


class OtherRouter:
    """Reads of users go to another database."""

    def db_for_read(self, model: type[Model], **hints: object) -> str:
        return f"that of {model.__name__}"


def test_rows_are_read_where_those_of_a_queryset_are(settings: Any) -> None:
    settings.DATABASE_ROUTERS = [OtherRouter()]

    with pytest.raises(ConnectionDoesNotExist, match="that of User"):
        CompiledRows(lambda: User.objects.filter(pk__in=[IDS]).values_list("pk")).rows(ids=[1])


@pytest.mark.parametrize(
    ("condition", "fault"),
    [
        (Q(username="alice"), "the queryset must use IDS once"),
        (Q(pk__in=[IDS]) | Q(id__in=[IDS]), "the queryset must use IDS once"),
        (Q(pk__in=[IDS, 1]), "IDS must be the only element of an __in"),
        (Q(pk=IDS), "IDS must be the only element of an __in"),
    ],
)
def test_queryset_that_uses_the_ids_in_another_way_is_refused(condition: Q, fault: str) -> None:
    with pytest.raises(ValueError, match=f"^{fault}$"):
        CompiledRows(lambda: User.objects.filter(condition).values_list("pk")).rows(ids=[1])


def test_use_without_the_ids_that_the_queryset_has_is_refused() -> None:
    with pytest.raises(ValueError, match="^the queryset must use IDS once$"):
        CompiledRows(lambda: User.objects.filter(pk__in=[IDS]).values_list("pk")).rows()
