"""Fragments are only for htmx, and the history gets whole pages."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

HTMX = {"HX-Request": "true"}
RESTORE = {"HX-Request": "true", "HX-History-Restore-Request": "true"}
LISTS = [
    *("/", "/entries/", "/log/", "/search/?q=x", "/learnings/"),
    *("/trajectory/", "/strategies/", "/failures/", "/capture/"),
]


def varies_by(answer: Any) -> set[str]:
    return {name.strip() for name in answer.headers.get("Vary", "").split(",")}


def is_whole(answer: Any) -> bool:
    return b"<!doctype html>" in answer.content and b"</html>" in answer.content


@pytest.mark.parametrize("path", LISTS)
def test_htmx_gets_the_title_and_the_results_and_a_browser_the_page(path: str, browser: Client) -> None:
    page, fragment = browser.get(path), browser.get(path, headers=HTMX)

    assert (is_whole(page), is_whole(fragment)) == (True, False)
    title = page.content.partition(b"<title>")[2].partition(b"</title>")[0]
    assert fragment.content.startswith(b"<title>" + title + b"</title>")
    results = fragment.content.partition(b"</title>")[2].strip()
    assert results in page.content
    assert (b"<form class=" in results, results == b"") == (False, False)


@pytest.mark.parametrize("path", LISTS)
def test_history_gets_the_whole_page(path: str, browser: Client) -> None:
    assert is_whole(browser.get(path, headers=RESTORE))
    assert is_whole(browser.get(path, headers={"HX-History-Restore-Request": "true"}))


@pytest.mark.parametrize("headers", [{}, HTMX, RESTORE], ids=["browser", "htmx", "history"])
@pytest.mark.parametrize("path", [*LISTS, "/learnings/1/", "/trajectory/1/", "/login/", "/nothing"])
def test_every_page_and_fragment_says_what_it_depends_on(path: str, headers: dict[str, str], browser: Client) -> None:
    answer = browser.get(path, headers=headers)

    assert {"HX-Request", "HX-History-Restore-Request"} <= varies_by(answer)
