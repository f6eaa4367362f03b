"""Finding observations in the search: for which user, by which filters."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client

from memoryserver import embedding
from memoryserver.accounts.models import User
from memoryserver.search.service import Search, search
from obslog import jobs, log
from tests.obslog.searching import found
from tests.support.rows.observations import new


@pytest.fixture(autouse=True)
def loaded_embedder() -> None:
    embedding.load()


def test_message_is_found_by_its_owner_alone_with_what_it_is_about(alice: User, bob: User) -> None:
    log.append(alice, new(message="the deploy of shop failed", type="deploy.failed", scope_ids=["s1", "task"]))

    assert jobs.embed_arrived() == 1

    (hit,) = search(alice, Search("failed deploy", source="observations")).hits
    assert (hit.source, hit.axis, hit.kind, hit.text) == (
        "observations",
        "message",
        "deploy.failed",
        "the deploy of shop failed",
    )
    assert hit.origin == {"from": "agent:abc123", "about": "s1, task"}
    assert (hit.semantic_rank, hit.lexical_rank) == (1, 1)
    assert found(bob, "failed deploy") == []


def test_search_without_a_source_leaves_observations_out(alice: User) -> None:
    log.append(alice, new(message="the deploy failed", type="deploy.failed"))
    jobs.embed_arrived()

    assert search(alice, Search("deploy failed")).hits == []
    assert [hit.source for hit in search(alice, Search("deploy failed", axis="message")).hits] == ["observations"]
    asked = search(alice, Search("deploy failed", filters={"log_source": "agent:"}))
    assert [hit.source for hit in asked.hits] == ["observations"]


@pytest.mark.parametrize(
    ("filters", "messages"),
    [
        ({"type": "deploy.failed"}, ["deploy one"]),
        ({"type": "deploy.never"}, []),
        ({"type": "x\x00"}, []),
        ({"log_source": "agent:"}, ["deploy one"]),
        ({"log_source": "ci:50%"}, ["deploy two"]),
        ({"log_source": "ci:50_"}, []),
        ({"log_source": "ci:\x00"}, []),
        ({"log_source": "ci:", "type": "deploy.done"}, ["deploy two"]),
    ],
)
def test_type_and_beginning_of_the_source_narrow(filters: dict[str, str], messages: list[str], alice: User) -> None:
    log.append(alice, new(message="deploy one", type="deploy.failed"))
    log.append(alice, new(message="deploy two", type="deploy.done", source="ci:50%of"))
    jobs.embed_arrived()

    assert found(alice, "deploy", filters=filters) == messages


def test_api_finds_them_where_they_are_asked_for(alice: User, api: Callable[[User | None], Client]) -> None:
    log.append(alice, new(message="deploy one"))
    jobs.embed_arrived()
    query = {"q": "deploy", "source": "observations", "log_source": "agent:", "type": "task.updated"}

    answer = api(alice).get("/api/v1/search", query).json()

    assert [hit["text"] for hit in answer["hits"]] == ["deploy one"]
