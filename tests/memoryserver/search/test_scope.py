"""The scope of a search: who sees what, and why a search is refused."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser

from memoryserver.accounts.models import Project, User
from memoryserver.search.scope import MAX_QUERY, InvalidSearchError, Search, collections_of, scope_of, validated_query
from memoryserver.search.service import search
from tests.memoryserver.search.notes import BORN, put
from tests.support.rows.factories import ProjectFactory, UserFactory

pytestmark = pytest.mark.usefixtures("notes")


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        (Search(""), "the query is empty; describe in a few words what you are looking for"),
        (Search("\x00"), "the query is empty; describe in a few words what you are looking for"),
        (Search(" \n\t"), "the query is empty; describe in a few words what you are looking for"),
        (Search("x" * (MAX_QUERY + 1)), "the query has 2001 characters; the maximum is 2000"),
        (Search("x", limit=0), "limit must be from 1 to 100"),
        (Search("x", limit=10_000), "limit must be from 1 to 100"),
        (Search("x", offset=-1), "offset must be from 0 to 200"),
        (Search("x", mode="fuzzy"), "unknown mode 'fuzzy'; choose from: hybrid, semantic, lexical"),  # type: ignore[arg-type]
        (Search("x", source="nowhere"), "unknown source 'nowhere'; choose from: "),
        (Search("x", source="notes", axis="full"), "unknown axis 'full'; choose from: first, second"),
        (Search("x", project="\x00 no\n"), "unknown project '\ufffd no'; choose from: none yet"),
        (Search("x", user="bob"), "unknown user 'bob'; choose from: alice"),
        (Search("x", team="crew"), "unknown team 'crew'; choose from: none yet"),
        (Search("x", since="yesterday-ish"), "since 'yesterday-ish' is invalid; give a date such as"),
        (Search("x", until="99999y"), "until '99999y' is invalid; give a date such as"),
        (Search("x", filters={"colour": "green"}), "unknown colour 'green'; choose from: red, blue"),
        (Search("x", filters={"smell": "good"}), "unknown filter 'smell'; choose from: colour, "),
        (
            Search("x", filters={"colour": "red", "type": "gotcha"}),
            "type cannot be combined with the other filters; remove one",
        ),
    ],
)
def test_search_that_cannot_be_is_refused_with_the_reason(alice: User, wanted: Search, said: str) -> None:
    with pytest.raises(InvalidSearchError) as caught:
        search(alice, wanted)

    assert str(caught.value).startswith(said)


def test_stranger_learns_of_no_project_team_or_person(charlie: User, alice: User, shared_project: Project) -> None:
    for narrowed in ({"project": shared_project.key}, {"team": "crew"}, {"user": "alice"}):
        with pytest.raises(InvalidSearchError, match="choose from: (none yet|charlie)$"):
            search(charlie, Search("x", **narrowed))  # type: ignore[arg-type]


def test_many_choices_are_not_all_named(alice: User) -> None:
    for number in range(20):
        ProjectFactory(owner=alice, key=f"p{number:02}")

    with pytest.raises(InvalidSearchError, match="p10, p11 and more$"):
        search(alice, Search("x", project="p99"))


def test_person_of_no_project_in_common_is_no_choice(alice: User) -> None:
    UserFactory(username="zoe")

    with pytest.raises(InvalidSearchError, match="unknown user 'zoe'; choose from: alice$"):
        search(alice, Search("x", user="zoe"))


@pytest.mark.parametrize(
    ("query", "validated"),
    [("  a\nb ", "a b"), ("x" * MAX_QUERY, "x" * MAX_QUERY)],
    ids=["on one line", "of the greatest length"],
)
def test_query_is_validated_on_one_line(query: str, validated: str) -> None:
    assert validated_query(Search(query)) == validated


@pytest.mark.parametrize(
    ("criteria", "collections"),
    [
        (Search("x", source="notes"), ["notes_a", "notes_b"]),
        (Search("x", source="notes", axis="second"), ["notes_b"]),
        (Search("x", axis="second"), ["notes_b"]),
        (Search("x", filters={"colour": "red"}), ["notes_a", "notes_b"]),
    ],
    ids=["source", "source and axis", "axis", "filter of one source"],
)
def test_collections_are_those_of_source_axis_and_filters(criteria: Search, collections: list[str]) -> None:
    assert collections_of(criteria) == collections


def test_source_that_is_not_a_default_is_searched_only_for_what_it_alone_has() -> None:
    names = {
        "all": collections_of(Search("x")),
        "named": collections_of(Search("x", source="observations")),
    }

    assert [("observations" in found) for found in names.values()] == [False, True]


def found(asker: User | AnonymousUser, **criteria: Any) -> list[str]:
    return sorted(scope_of(asker, Search("x", source="notes", **criteria)).values_list("key", flat=True))


@pytest.fixture
def written(alice: User, bob: User, shared_project: Project) -> None:
    put(alice, "own", "text", paint="red")
    put(alice, "shared", "text", project=shared_project, paint="blue")
    put(bob, "bobs", "text", project=shared_project, collection="notes_b", born=BORN + timedelta(days=1))


def test_scope_is_what_the_user_may_see(written: None, alice: User, bob: User, charlie: User) -> None:
    users: list[User | AnonymousUser] = [alice, bob, charlie, AnonymousUser()]

    assert [found(user) for user in users] == [["bobs", "own", "shared"], ["bobs", "shared"], [], []]


@pytest.mark.parametrize(
    ("criteria", "keys"),
    [
        ({"axis": "second"}, ["bobs"]),
        ({"project": "github.com/crew/shop"}, ["bobs", "shared"]),
        ({"team": "crew"}, ["bobs", "shared"]),
        ({"user": "bob"}, ["bobs"]),
        ({"filters": {"colour": "red"}}, ["own"]),
        ({"since": "2026-01-03"}, ["bobs"]),
        ({"until": "2026-01-03"}, ["own", "shared"]),
        ({"since": "2026-01-03", "filters": {"colour": "red"}}, []),
    ],
    ids=["axis", "project", "team", "user", "filter", "since", "until", "all must match"],
)
def test_each_filter_narrows_the_scope(written: None, alice: User, criteria: dict[str, Any], keys: list[str]) -> None:
    assert found(alice, **criteria) == keys
