"""`manage.py index_vectors`: which indexes it builds and what it prints."""

from __future__ import annotations

from io import StringIO

import pytest
from django.core.management import call_command

from memoryserver.accounts.models import User
from memoryserver.vectors.models import Collection
from tests.memoryserver.vectors.made import all_indexes, fill

pytestmark = pytest.mark.usefixtures("no_index_is_left", "small_limits")

DONE = "Every collection that needs an index has one.\n"


def run() -> str:
    out = StringIO()
    call_command("index_vectors", stdout=out)
    return out.getvalue()


def test_each_large_collection_is_indexed_once() -> None:
    owner = User.objects.create(username="owner")
    fill(owner, 11, "large")
    fill(owner, 10, "small")

    assert run() == f"indexing large (made, 16) …\n{DONE}"
    assert run() == DONE
    assert all_indexes() == {"record_hnsw_large"}
    assert [row.name for row in Collection.objects.exclude(indexed_at=None)] == ["large"]


def test_without_collections_there_is_nothing_to_do() -> None:
    assert run() == DONE
