"""What the log's tests share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.test import Client

from memoryserver.accounts.models import User
from obslog import log
from obslog.models import Observation
from tests.obslog.others import Other
from tests.support.rows.factories import UserFactory
from tests.support.rows.observations import new


@pytest.fixture
def admin_client(db: None) -> Client:
    """An administrator's, signed in without a password, whose hashing takes longer than all else."""
    client = Client()
    client.force_login(UserFactory(username="admin", is_staff=True, is_superuser=True))
    return client


@pytest.fixture
def others(transactional_db: None) -> Iterator[list[Other]]:
    """Two, each with a transaction of their own."""
    people = [Other(), Other()]
    yield people
    for person in people:
        person.leave()


@pytest.fixture
def row(alice: User) -> Iterator[Observation]:
    """An observation, which at the end is still what it was."""
    receipt = log.append(alice, new(details="whole", data={"n": 1}, scope_ids=["task-1"]))
    row = Observation.objects.get(pk=str(receipt.id))
    yield row
    now = Observation.objects.get(pk=row.pk)
    assert (now.message, now.details, now.data, now.user) == (row.message, row.details, row.data, alice)
    assert now.scope_ids == ["task-1"]
