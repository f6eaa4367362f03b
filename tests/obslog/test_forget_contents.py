from __future__ import annotations

import importlib

import pytest
from django.db import DatabaseError, connection, transaction

from memoryserver.accounts.models import User
from obslog.emit import emit
from obslog.models import Observation

MIGRATION = importlib.import_module("obslog.migrations.0003_forget_contents")


def test_migration_takes_quoted_contents_out_and_leaves_the_log_append_only(alice: User) -> None:
    about = ["learning:7"]
    emit(
        alice,
        type="capture.stored_by_hand",
        source="system:capture",
        message="gotcha stored by hand: a b",
        scope_ids=about,
    )
    emit(alice, type="ghap.persisted", source="system:persister", message="persisted ghap_1 (confirmed): a b")
    data = {"observer": "poll", "began_at_call": 4}
    emit(alice, type="trajectory.caution", source="system:trajectory", message="poll: a b", data=data)
    emit(alice, type="t.x", source="agent:a", message="x stored by hand: a b")

    with connection.cursor() as cursor:
        for statement in (MIGRATION.ALLOW, MIGRATION.FORGET, MIGRATION.REFUSE):
            cursor.execute(statement)

    assert list(Observation.objects.order_by("arrival").values_list("message", flat=True)) == [
        "learning stored by hand: gotcha 7",
        "persisted ghap_1 (confirmed)",
        "poll reported a caution at call 4",
        "x stored by hand: a b",
    ]
    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
        Observation.objects.update(message="changed")
