"""What the log's tests share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.test import Client

from tests.factories import UserFactory
from tests.obslog.others import Other


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
