"""The endpoint that says what an id names."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client

from ghap.intake import receive
from ghap.models import Entry
from memoryserver.accounts.models import Project, User
from tests.support.rows.ghap_entries import body

Api = Callable[[User | None], Client]
ID = "ghap_20261120_143022_a1b2c3"


def test_match_has_what_reads_it_and_its_page(alice: User, shared_project: Project, api: Api) -> None:
    receive(alice, shared_project, [body(goal="Stop\nit " + "x" * 400)])
    key = Entry.objects.get().pk

    answer = api(alice).get("/api/v1/lookup", {"id": "20261120_143022"})

    assert answer.status_code == 200
    (match,) = answer.json()["matches"]
    assert match.pop("title") == "Stop it " + "x" * 291 + "…"
    assert match == {
        "kind": "entry",
        "id": f"ghap/{ID}",
        "user": "alice",
        "project": "github.com/crew/shop",
        "created_at": "2026-11-20T14:30:22Z",
        "page": f"/entries/{key}/",
    }
    assert api(alice).get(f"/api/v1/memory/{match['id']}").status_code == 200


def test_nothing_is_an_empty_answer(alice: User, api: Api) -> None:
    assert api(alice).get("/api/v1/lookup", {"id": "nothing"}).json() == {"matches": [], "more": False}


@pytest.mark.parametrize(
    "query", [{}, {"id": ""}, {"id": "  "}, {"id": "x" * 301}], ids=["none", "empty", "blank", "long"]
)
def test_word_that_cannot_be_an_id_is_refused(query: dict[str, str], alice: User, api: Api) -> None:
    answer = api(alice).get("/api/v1/lookup", query)

    assert (answer.status_code, answer.headers["Content-Type"]) == (422, "application/problem+json")
