from __future__ import annotations

from django.test import Client


def test_icon_that_browsers_ask_for_is_ours() -> None:
    answer = Client().get("/favicon.ico")

    assert (answer.status_code, answer.headers["Location"]) == (302, "/static/memoryserver/icon.svg")


def test_page_that_is_not_there_says_so_in_our_own_words(db: None) -> None:
    answer = Client().get("/nothing")

    assert answer.status_code == 404
    assert "This page does not exist" in answer.content.decode()
