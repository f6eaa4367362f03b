from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser
from django.utils import timezone

from memoryserver import embedding
from memoryserver.accounts.models import Project, User
from memoryserver.search.service import (
    MODEL_FAILED,
    MODEL_LOADING,
    Search,
    search,
)
from tests.memoryserver.search.notes import BORN, put
from tests.support.embedder import WordEmbedder
from tests.support.rows.factories import ProjectFactory, TeamFactory

pytestmark = pytest.mark.usefixtures("notes")


@pytest.fixture(autouse=True)
def loaded() -> None:
    embedding.load()


def keys(asker: User | AnonymousUser, query: str, **narrowed: Any) -> list[str]:
    return [hit.key for hit in search(asker, Search(query=query, source="notes", **narrowed)).hits]


def test_hit_tells_what_who_when_where_from_and_how_it_was_found(alice: User, shared_project: Project) -> None:
    put(alice, "one", "the cache is stale", project=shared_project)

    (hit,) = search(alice, Search("stale cache", source="notes")).hits

    assert (hit.source, hit.axis, hit.key, hit.kind, hit.title) == ("notes", "first", "one", "note", "one")
    assert (hit.text, hit.user, hit.project) == ("the cache is stale", "alice", "github.com/crew/shop")
    assert (hit.created_at, hit.origin) == (BORN, {"book": "1"})
    assert (hit.semantic_rank, hit.lexical_rank) == (1, 1)
    assert hit.score == pytest.approx(2 / 201)  # the nearest, and every word


def test_text_with_more_of_the_words_comes_first(alice: User) -> None:
    put(alice, "one", "lock order in the payment worker")
    put(alice, "two", "lock of the payment button")

    assert keys(alice, "payment worker lock") == ["one", "two"]


def test_text_from_the_time_that_the_question_names_comes_first_and_others_are_found_too(alice: User) -> None:
    year = timezone.now().year - 1
    put(alice, "june", "the checkout was slow", born=datetime(year, 6, 9, tzinfo=UTC))
    put(alice, "may", "the checkout was slow and tiresome", born=datetime(year, 5, 7, tzinfo=UTC))

    assert keys(alice, "was the checkout slow") == ["june", "may"]
    assert keys(alice, f"was the checkout slow in May {year}") == ["may", "june"]


def test_time_of_which_there_is_no_text_is_part_of_the_question(alice: User) -> None:
    put(alice, "plain", "the checkout was slow", born=BORN)
    put(alice, "named", "the checkout was slow in March 2019", born=BORN)

    assert keys(alice, "was the checkout slow in March 2019") == ["named", "plain"]


def test_question_finds_a_text_that_has_only_some_of_its_words(alice: User) -> None:
    put(alice, "one", "pg_dump needs the socket directory")

    assert keys(alice, "why did the nightly pg_dump job fail", mode="lexical") == ["one"]


def test_words_that_every_text_has_find_nothing(alice: User) -> None:
    put(alice, "one", "what the fix was")

    assert keys(alice, "the is of and", mode="lexical") == []


def test_identifier_is_found_as_it_is_written(alice: User) -> None:
    put(alice, "one", "ERR_SSL_PROTOCOL_ERROR came from the proxy")
    put(alice, "two", "the protocol was wrong")

    assert keys(alice, "ERR_SSL_PROTOCOL_ERROR", mode="lexical")[0] == "one"


def test_entry_on_two_axes_comes_once_with_the_better_one_named(alice: User) -> None:
    put(alice, "one", "migration deadlock", collection="notes_a")
    put(alice, "one", "migration deadlock on the orders table", collection="notes_b")

    (hit,) = search(alice, Search("migration deadlock on the orders table", source="notes")).hits

    assert (hit.key, hit.axis) == ("one", "second")


def test_what_its_source_no_longer_knows_is_left_out(alice: User) -> None:
    put(alice, "gone", "payment worker")

    assert keys(alice, "payment worker") == []


def test_owner_and_mate_find_it_stranger_and_nobody_do_not(
    alice: User, bob: User, charlie: User, shared_project: Project
) -> None:
    put(alice, "one", "payment worker", project=shared_project)

    assert [keys(user, "payment worker") for user in (alice, bob, charlie, AnonymousUser())] == [
        ["one"],
        ["one"],
        [],
        [],
    ]


def test_project_narrows_to_it(alice: User) -> None:
    put(alice, "one", "payment worker", project=ProjectFactory(owner=alice, key="here"))
    put(alice, "two", "payment worker", project=ProjectFactory(owner=alice, key="there"))

    assert keys(alice, "payment worker", project="here") == ["one"]


def test_filter_of_the_source_narrows_to_what_has_the_value(alice: User) -> None:
    put(alice, "one", "payment worker", paint="red")
    put(alice, "two", "payment worker", paint="blue")

    assert keys(alice, "payment worker", filters={"colour": "blue"}) == ["two"]


def test_filter_of_one_source_leaves_out_the_others(alice: User) -> None:
    put(alice, "one", "payment worker", paint="red")

    found = search(alice, Search("payment worker", filters={"type": "gotcha"})).hits

    assert found == []


def test_axis_narrows_to_it(alice: User) -> None:
    put(alice, "one", "payment worker", collection="notes_a")
    put(alice, "two", "payment worker", collection="notes_b")

    assert keys(alice, "payment worker", axis="second") == ["two"]


def test_user_narrows_to_what_theirs_sent(alice: User, bob: User, shared_project: Project) -> None:
    put(alice, "hers", "payment worker", project=shared_project)
    put(bob, "his", "payment worker", project=shared_project)

    assert keys(alice, "payment worker", user="bob") == ["his"]


def test_team_narrows_to_its_projects(alice: User, bob: User, shared_project: Project) -> None:
    other = TeamFactory(name="other", people=[alice])
    put(alice, "one", "payment worker", project=shared_project)
    put(alice, "two", "payment worker", project=ProjectFactory(team=other))

    assert keys(alice, "payment worker", team="other") == ["two"]


def test_since_includes_its_moment_and_until_does_not(alice: User) -> None:
    for number in range(4):
        put(alice, f"day{number}", f"payment worker {number}", born=BORN + timedelta(days=number))

    assert sorted(keys(alice, "payment worker", since="2026-01-03", until="2026-01-05")) == ["day1", "day2"]


def test_pages_joined_are_the_whole_and_the_last_says_that_it_is(alice: User) -> None:
    for number in range(25):
        put(alice, f"n{number}", f"the same words in number {number}")

    whole = keys(alice, "same words", limit=25)
    pages = [search(alice, Search("same words", source="notes", limit=10, offset=offset)) for offset in (0, 10, 20)]

    assert len(set(whole)) == 25
    assert [hit.key for page in pages for hit in page.hits] == whole
    assert [(page.found, page.next_offset) for page in pages] == [(25, 10), (25, 20), (25, None)]


def test_page_behind_the_end_is_empty(alice: User) -> None:
    put(alice, "one", "payment worker")

    answer = search(alice, Search("payment worker", source="notes", offset=20))

    assert (answer.hits, answer.found, answer.next_offset) == ([], 1, None)


def test_query_that_matches_nothing_finds_nothing(alice: User) -> None:
    for number in range(5):
        put(alice, f"n{number}", f"payment worker {number}")

    answer = search(alice, Search("zzzqqq", source="notes"))

    assert (answer.mode, answer.hits, answer.found, answer.next_offset) == ("hybrid", [], 0, None)


def test_near_equal_results_are_one_hit_that_names_the_others(alice: User) -> None:
    put(alice, "one", "The payment worker waits for a lock.")
    put(alice, "two", "payment worker waits for the lock")
    put(alice, "three", "payment worker waits for no lock")

    answer = search(alice, Search("payment worker lock", source="notes"))

    assert [(hit.key, list(hit.same)) for hit in answer.hits] == [("two", ["notes/one"]), ("three", [])]
    assert (answer.found, answer.folded) == (2, 1)


def test_hit_names_the_words_of_the_query_that_it_has_the_rarest_first(alice: User) -> None:
    put(alice, "one", "the payment worker was waiting")
    put(alice, "two", "payment refused")

    hits = search(alice, Search("Payments wait nowhere", source="notes", mode="lexical")).hits

    assert {hit.key: list(hit.words) for hit in hits} == {"one": ["wait", "payments"], "two": ["payments"]}


def test_model_that_is_not_loaded_makes_the_search_lexical_and_says_so(
    alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(alice, "one", "payment worker")
    monkeypatch.setattr(embedding, "_loaded", threading.Event())

    answer = search(alice, Search("payment", source="notes"))

    assert (answer.mode, answer.note) == ("lexical", MODEL_LOADING)
    assert [hit.key for hit in answer.hits] == ["one"]


def test_model_that_fails_makes_the_search_lexical_and_says_so(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken(WordEmbedder):
        def embed(self, text: str) -> list[float]:
            raise embedding.EmbeddingModelError("out of memory")

    put(alice, "one", "payment worker")
    monkeypatch.setattr(embedding, "ready_service", Broken)

    answer = search(alice, Search("payment", source="notes"))

    assert (answer.mode, answer.note) == ("lexical", MODEL_FAILED)
    assert [hit.key for hit in answer.hits] == ["one"]


def test_asked_for_words_alone_there_is_no_note(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedding, "_loaded", threading.Event())

    answer = search(alice, Search("payment", mode="lexical"))

    assert (answer.mode, answer.note) == ("lexical", None)


@pytest.mark.parametrize(
    "query", ["'); DROP TABLE x; --", "a & | ! ( ) : * <-> b", "\\", "%(query)s %s", "{scope}", "x\x00y", "日本"]
)
def test_query_of_odd_characters_is_only_text(alice: User, query: str) -> None:
    put(alice, "one", "payment worker")

    assert search(alice, Search(query, source="notes", mode="lexical")).hits == []
