"""Addresses of the pages of rows."""

from __future__ import annotations

from uuid import UUID

import pytest
from django.urls import NoReverseMatch, reverse, set_script_prefix

from memoryserver.home.addresses import address_of


@pytest.mark.parametrize("name", ["learning", "learning-change", "ghap-entry", "ghap-failure", "trajectory-session"])
def test_address_is_that_of_reverse(name: str) -> None:
    assert [address_of(name, key) for key in (1, 99_999)] == [reverse(name, args=[key]) for key in (1, 99_999)]


def test_key_may_be_a_uuid() -> None:
    key = UUID("01a229a5-0afd-7582-91cb-4860e377276b")

    assert address_of("log-observation", key) == reverse("log-observation", args=[key])


def test_site_below_a_prefix_has_it_in_its_addresses() -> None:
    here = address_of("learning", 7)
    set_script_prefix("/memory/")
    try:
        below = address_of("learning", 7)
    finally:
        set_script_prefix("/")

    assert (here, below, address_of("learning", 7)) == ("/learnings/7/", "/memory/learnings/7/", "/learnings/7/")


def test_unknown_page_has_no_address() -> None:
    with pytest.raises(NoReverseMatch):
        address_of("nowhere", 1)
