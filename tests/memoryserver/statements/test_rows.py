"""Instances from hand-written statements are the ones that a queryset gives, and can be saved."""

from __future__ import annotations

from typing import Any, TypeVar

from django.db import connection
from django.db.models import Model
from django.test.utils import CaptureQueriesContext

from memoryserver.accounts import tokens
from memoryserver.accounts.models import ApiToken, User
from memoryserver.hooks.models import HookSession
from memoryserver.statements import rows

M = TypeVar("M", bound=Model)


def read(model: type[M], key: int) -> M:
    found = rows.first(
        f"SELECT {rows.columns(model, 'row')} FROM {model._meta.db_table} row WHERE id = %(key)s", {"key": key}
    )
    assert found is not None
    assert len(found) == rows.width(model)
    return rows.instance(model, found)


def test_instance_has_the_values_of_a_queryset(alice: User) -> None:
    token, text = tokens.issue(alice, "laptop")
    tokens.authenticate(text, address="192.0.2.1", client="memorycli/1.0")
    session = HookSession.objects.create(user=alice, session_id="s", memory={"a": [1, {"b": None}]})

    for model, key in ((ApiToken, token.pk), (HookSession, session.pk), (User, alice.pk)):
        by_queryset = model.objects.get(pk=key)
        by_hand = read(model, key)
        names = [field.attname for field in model._meta.concrete_fields]
        assert [getattr(by_hand, name) for name in names] == [getattr(by_queryset, name) for name in names]


def test_instance_is_saved_as_an_existing_row(alice: User) -> None:
    session = read(HookSession, HookSession.objects.create(user=alice, session_id="s").pk)

    session.memory = {"seen": True}
    session.save()

    assert HookSession.objects.get().memory == {"seen": True}


def test_no_row_is_none(alice: User) -> None:
    assert rows.first("SELECT 1 WHERE %(never)s", {"never": False}) is None


def test_first_row_is_the_same_whether_or_not_the_statement_is_prepared(transactional_db: None) -> None:
    sql = "SELECT %(text)s::text, %(ids)s::bigint[], %(nothing)s::text, %(json)s::jsonb ->> 'a'"
    parameters = {"text": "it's 100%", "ids": [1, 2**40], "nothing": None, "json": rows.json_text({"a": "\u00e9"})}

    found = [rows.first(sql, parameters, prepared=prepared) for prepared in (False, True, True, True)]

    assert found == [("it's 100%", [1, 2**40], None, "\u00e9")] * 4
    assert rows.first("SELECT 1 WHERE %(no)s", {"no": False}, prepared=True) is None


def test_statement_is_prepared_unless_sessions_are_pooled(transactional_db: None, monkeypatch: Any) -> None:
    def prepared() -> list[str]:
        connection.close()
        for _ in range(3):
            rows.first("SELECT %(number)s + 1", {"number": 1}, prepared=True)
        found = rows.first("SELECT array_agg(statement) FROM pg_prepared_statements", {})
        return (found or (None,))[0] or []

    assert prepared() == ["SELECT $1 + 1"]
    monkeypatch.setitem(connection.settings_dict, "DISABLE_SERVER_SIDE_CURSORS", True)
    assert prepared() == []
    connection.close()


def test_prepared_statement_is_planned_once(transactional_db: None) -> None:
    connection.close()
    for number in range(9):
        rows.first("SELECT pk FROM unnest(%(ids)s::bigint[]) pk", {"ids": [number]}, prepared=True)

    plans = rows.first("SELECT generic_plans, custom_plans FROM pg_prepared_statements", {})
    connection.close()

    assert plans == (8, 0)


def test_integers_of_any_size_become_json() -> None:
    assert [rows.json_text({"a": 2**70}), rows.json_text({"a": [1]})] == ['{"a": 1180591620717411303424}', '{"a":[1]}']


def test_copy_has_the_values_and_changes_alone(alice: User) -> None:
    copied = rows.copied(alice)
    copied.username = "changed"

    assert (copied, copied._state.db, alice.username) == (alice, alice._state.db, "alice")


def test_log_of_statements_has_the_text_of_a_prepared_one_with_its_parameters(transactional_db: None) -> None:
    with CaptureQueriesContext(connection) as sent:
        for prepared in (False, True, True, True):
            rows.first("SELECT %(text)s, %(number)s", {"text": "it's", "number": 7}, prepared=prepared)

    assert [each["sql"] for each in sent] == ["SELECT 'it''s', 7"] * 4
