"""The address that people and laptops are told."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.exceptions import DisallowedHost
from django.test import RequestFactory

from memoryserver.joining.address import join_line, join_line_for_windows, server_address


def test_address_of_the_request_is_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MEMORYSERVER_PUBLIC_URL", raising=False)
    request = RequestFactory().get("/account/laptops/", headers={"host": "localhost:8123"})

    assert server_address(request) == "http://localhost:8123"
    assert join_line(request) == "curl -fsS http://localhost:8123/join | sh"
    assert join_line_for_windows(request) == "irm http://localhost:8123/join.ps1 | iex"


def test_configured_address_wins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORYSERVER_PUBLIC_URL", "https://memory.example.org/")

    assert join_line(RequestFactory().get("/")) == "curl -fsS https://memory.example.org/join | sh"


def test_host_that_is_not_allowed_is_refused(monkeypatch: pytest.MonkeyPatch, settings: Any) -> None:
    monkeypatch.delenv("MEMORYSERVER_PUBLIC_URL", raising=False)
    settings.ALLOWED_HOSTS = ["localhost"]

    with pytest.raises(DisallowedHost):
        server_address(RequestFactory().get("/", headers={"host": "evil.example"}))
