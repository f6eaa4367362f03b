"""Learnings as a source of search: how a hit is described, and by what it is filtered."""

from __future__ import annotations

import pytest
from django.urls import reverse
from django.utils import timezone

from capture.deliveries import IncomingLearning
from capture.local import LEARNING_TYPES
from capture.models import Contradiction, Learning
from capture.search import SOURCE, describe
from capture.sink import store, store_by_hand
from memoryserver.accounts.models import Project, User
from memoryserver.search.service import InvalidSearchError, Search, search
from memoryserver.search.sources import Description, source_of
from memoryserver.vectors.models import Record
from tests.capture.test_sink import CONTENT, capture, learning


def hits(user: User, query: str, **filters: str) -> list[str]:
    return [hit.text for hit in search(user, Search(query, source="learnings", filters=filters)).hits]


def test_source_is_registered_for_its_collection() -> None:
    assert source_of("learnings") is SOURCE


def test_hit_is_described_by_its_content_and_first_source(alice: User, shared_project: Project) -> None:
    met = [learning(source_message_index=index) for index in (47, 45)]
    store(alice, shared_project, capture(*met, context_id="c1"))
    record = Record.objects.get()

    assert describe([record]) == {
        record.pk: Description(
            title="",
            kind="learning",
            text=CONTENT,
            origin={"seen": "2", "source": "stated", "transcript": "c1", "message": "45"},
            page=reverse("learning", args=[Learning.objects.get().pk]),
        )
    }


def test_hit_of_a_learning_that_came_again_names_the_capture_that_it_came_in_first(alice: User) -> None:
    for number, context_id in enumerate(("c1", "c2"), 1):
        store(alice, None, capture(learning(), number=number, context_id=context_id))

    (description,) = describe([Record.objects.get()]).values()
    assert (description.origin["seen"], description.origin["transcript"]) == ("2", "c1")


def test_learning_stored_by_hand_has_no_transcript(alice: User) -> None:
    store_by_hand(alice, None, IncomingLearning("convention", "Use pnpm", 1.0, 0))

    (description,) = describe(list(Record.objects.all())).values()
    assert description.origin == {"seen": "1", "source": "agent"}


def test_hidden_and_deleted_learnings_have_no_description(alice: User) -> None:
    store(alice, None, capture(learning("Hidden"), learning("Deleted"), learning("Shown")))
    records = list(Record.objects.all())
    Learning.objects.filter(content="Hidden").update(hidden=True)
    Learning.objects.filter(content="Deleted").delete()

    assert [description.text for description in describe(records).values()] == ["Shown"]


def test_number_of_queries_does_not_grow_with_the_records(alice: User, django_assert_num_queries: object) -> None:
    store(alice, None, capture(*(learning(f"Number {number}") for number in range(5))))
    records = list(Record.objects.all())

    with django_assert_num_queries(1):  # type: ignore[operator]
        assert len(describe(records)) == 5


def test_filter_by_type_narrows_and_an_unknown_type_is_an_error(alice: User) -> None:
    store(alice, None, capture(learning("The backup locks"), learning("The backup is slow", type="gotcha")))

    assert hits(alice, "backup", type="gotcha") == ["The backup is slow"]
    assert list(SOURCE.filters["type"].choices) == list(LEARNING_TYPES)
    with pytest.raises(InvalidSearchError, match="unknown type 'nonsense'"):
        hits(alice, "backup", type="nonsense")


def test_hit_that_a_later_one_contradicts_or_the_judge_rejected_says_so(alice: User) -> None:
    store(alice, None, capture(learning("Use npm"), learning("Use pnpm"), learning("Use yarn")))
    npm, pnpm, yarn = Learning.objects.order_by("pk")
    Contradiction.objects.create(earlier=npm, later=pnpm, reason="value")
    Learning.objects.filter(pk=yarn.pk).update(judge_verdict="rejected")

    described = describe(list(Record.objects.all())).values()
    states = {description.text: description.origin.get("state") for description in described}

    assert states == {"Use npm": "contradicted", "Use pnpm": None, "Use yarn": "rejected"}


def test_hit_of_a_session_that_still_runs_says_so(alice: User) -> None:
    store(alice, None, capture(learning(), captured_at=timezone.now()))

    (description,) = describe(list(Record.objects.all())).values()

    assert description.origin["state"] == "provisional"


def test_contradicted_learning_comes_after_the_later_one_until_it_is_decided(alice: User) -> None:
    store(
        alice,
        None,
        capture(
            learning("We run tests with make, and the tests of CI run alike"),
            learning("Run tests by tox, nothing else"),
        ),
    )
    later, earlier = Learning.objects.order_by("-pk")
    contradiction = Contradiction.objects.create(earlier=earlier, later=later, reason="rejected")

    undecided = hits(alice, "run tests")
    Contradiction.objects.filter(pk=contradiction.pk).update(decision="both")

    assert undecided == ["Run tests by tox, nothing else", "We run tests with make, and the tests of CI run alike"]
    assert hits(alice, "run tests") == undecided[::-1]
