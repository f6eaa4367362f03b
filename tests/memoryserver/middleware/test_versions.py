from __future__ import annotations

import pytest
from django.test import Client

from memoryserver import __version__


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/api/v1/whoami", "/api/v1/nothing"])
def test_answers_of_the_api_name_the_version(path: str) -> None:
    assert Client().get(path)["X-Memoryserver-Version"] == __version__


@pytest.mark.django_db
def test_pages_do_not_name_the_version() -> None:
    assert "X-Memoryserver-Version" not in Client().get("/login/").headers
