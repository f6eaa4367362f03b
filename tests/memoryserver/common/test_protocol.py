"""The constants of the protocol are those that the server's pages answer to."""

from __future__ import annotations

from django.test import Client
from django.urls import resolve

from memoryserver import __version__
from memoryserver.common.protocol import API_ROOT, VERSION_HEADER


def test_api_is_served_below_its_root() -> None:
    assert resolve(f"{API_ROOT}/search").route.startswith(API_ROOT.removeprefix("/"))


def test_response_of_the_api_names_the_version_in_the_header(db: None) -> None:
    assert Client().get(f"{API_ROOT}/no-such-path")[VERSION_HEADER] == __version__


def test_path_joins_to_the_root_with_one_slash() -> None:
    assert API_ROOT.startswith("/")
    assert not API_ROOT.endswith("/")
