"""What a search prefers without leaving anything out, through the service."""

from __future__ import annotations

import pytest

from memoryserver.accounts.models import Project, User
from memoryserver.search.engine import Ranked
from memoryserver.search.ordering.preference import HERE, raised
from memoryserver.search.service import Search, search
from tests.memoryserver.search.notes import put
from tests.support.rows.factories import ProjectFactory

pytestmark = pytest.mark.usefixtures("notes")
QUERY = "how do we run tests"


def keys(user: User, query: str, here: str | None = None) -> list[str]:
    return [hit.key for hit in search(user, Search(query, source="notes", mode="lexical", here=here)).hits]


def test_project_that_is_asked_from_comes_first_and_leaves_nothing_out(alice: User, shared_project: Project) -> None:
    other = ProjectFactory(owner=alice, key="other")
    put(alice, "best", "run tests, run all tests", project=other)
    put(alice, "own", "the nightly job may run tests of the importer as well", project=shared_project)

    assert keys(alice, QUERY) == ["best", "own"]
    assert keys(alice, QUERY, here=shared_project.key) == ["own", "best"]
    assert keys(alice, QUERY, here="unknown") == ["best", "own"]


def test_what_is_meant_comes_first_from_half_of_the_score_on() -> None:
    rows = [Ranked(number, 1, "notes_a", "key", "", score, None, None) for number, score in enumerate((4.0, 2.5, 1.5))]

    assert [row.record_id for row in raised(rows, HERE, lambda row: row.record_id > 0)] == [1, 0, 2]


def test_topic_of_a_framed_question_is_found_and_the_person_comes_first(
    alice: User, bob: User, shared_project: Project
) -> None:
    put(alice, "hers", "the import reads import files", project=shared_project)
    put(bob, "his", "a comma breaks the import of long prices", project=shared_project)

    assert keys(alice, "what do we know about the import") == ["hers", "his"]
    assert keys(alice, "what did Bob find out about the import") == ["his", "hers"]


def test_hit_says_whether_it_is_the_asking_users_own(alice: User, bob: User, shared_project: Project) -> None:
    put(bob, "his", "the import", project=shared_project)

    assert [
        [hit.mine for hit in search(user, Search("import", source="notes", mode="lexical")).hits]
        for user in (alice, bob)
    ] == [
        [False],
        [True],
    ]
