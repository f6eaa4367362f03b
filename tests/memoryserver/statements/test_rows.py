"""Instances from hand-written statements are the ones that a queryset gives, and can be saved."""

from __future__ import annotations

from typing import TypeVar

from django.db.models import Model

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
