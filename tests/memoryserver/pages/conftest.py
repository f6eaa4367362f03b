from __future__ import annotations

import pytest
from django.test import Client

from memoryserver.accounts.models import User


@pytest.fixture
def browser(alice: User) -> Client:
    client = Client()
    client.force_login(alice)
    return client
