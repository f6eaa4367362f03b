from __future__ import annotations

from datetime import UTC, datetime
from importlib import import_module

from django.apps import apps
from django.db import connection

from memoryserver.accounts.models import User
from memoryserver.vectors.models import Collection, Record
from memoryserver.vectors.store import Item, PgVectorStore

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)

migration = import_module("memoryserver.vectors.migrations.0003_terms_without_accents")


def test_terms_of_stored_texts_are_extracted_again(db: None) -> None:
    Collection.objects.create(name="test", model="m", dimension=2)
    store = PgVectorStore(User.objects.create(username="alice"))
    store.upsert("test", [Item("accents", "Café déjà", NOON), Item("ascii", "connection pool", NOON)])
    Record.objects.filter(key="accents").update(terms="café déjà")
    Record.objects.filter(key="ascii").update(terms="not touched")

    with connection.schema_editor() as editor:
        migration.extract(apps, editor)

    assert dict(Record.objects.values_list("key", "terms")) == {"accents": "cafe deja", "ascii": "not touched"}
