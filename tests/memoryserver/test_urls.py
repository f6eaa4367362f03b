from __future__ import annotations

import pytest
from django.test import Client


@pytest.mark.parametrize(("asked", "given"), [("/", "/search/"), ("/favicon.ico", "/static/memoryserver/icon.svg")])
def test_address_that_browsers_ask_for_leads_on(asked: str, given: str) -> None:
    answer = Client().get(asked)

    assert (answer.status_code, answer.headers["Location"]) == (302, given)


def test_page_that_is_not_there_says_so_in_our_own_words(db: None) -> None:
    answer = Client().get("/nothing")

    assert answer.status_code == 404
    assert "This page does not exist" in answer.content.decode()
