"""Which turns are beside which."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.auth.models import AnonymousUser

from memoryserver.accounts.models import Project, User
from memoryserver.search.engine import QueryVector
from memoryserver.search.plan import Scope
from memoryserver.search.rescoring.neighbours import Conversations, around
from memoryserver.search.scope import Search, scope_of
from memoryserver.vectors.models import Record
from tests.memoryserver.search.notes import BORN, put
from tests.support.embedder import TokenEmbedder, WordEmbedder

pytestmark = pytest.mark.usefixtures("notes")

MODEL = TokenEmbedder()
TALK = ["Ana: hello there", "Ben: how is the boat", "Ana: it floats", "Ben: since when", "Ana: May", "Ben: great"]


def say(user: User, *texts: str, first: int = 0, minutes: float = 1, project: Project | None = None) -> None:
    for number, text in enumerate(texts, first):
        born = BORN + timedelta(minutes=minutes * number)
        put(user, f"{number}", text, born=born, project=project, embedder=MODEL)


def found_around(user: User | AnonymousUser, *keys: str, words: str = "boat") -> Conversations:
    query = QueryVector(MODEL.embed(words), MODEL.model_name, ["notes_a"])
    scope = Scope.of(scope_of(user, Search(words, source="notes")))
    return around(scope, [Record.objects.get(key=key).pk for key in keys], query)


def beside(found: Conversations) -> dict[str, dict[int, str]]:
    """By keys."""
    key = dict(Record.objects.values_list("pk", "key"))
    return {
        key[record]: {distance: key[other] for distance, other in sorted(others.items())}
        for record, others in found.beside.items()
    }


def test_turns_around_a_result_are_read_and_know_those_beside_them(alice: User) -> None:
    say(alice, *TALK, "Ana: bye")

    assert beside(found_around(alice, "2")) == {
        "0": {1: "1", 2: "2"},
        "1": {-1: "0", 1: "2", 2: "3"},
        "2": {-2: "0", -1: "1", 1: "3", 2: "4"},
        "3": {-2: "1", -1: "2", 1: "4", 2: "5"},
        "4": {-2: "2", -1: "3", 1: "5"},
        "5": {-2: "3", -1: "4"},
    }


def test_turn_has_its_text_its_cosine_and_its_codes(alice: User) -> None:
    say(alice, *TALK[:2])

    turns = found_around(alice, "1", words="how is the boat Ben").turns
    record = Record.objects.get(key="1")

    assert turns[record.pk].text == "Ben: how is the boat"
    assert turns[record.pk].cosine == pytest.approx(1)
    assert turns[record.pk].codes == bytes(record.token_codes.codes)
    assert turns[Record.objects.get(key="0").pk].cosine == pytest.approx(0)


def test_turns_of_others_and_of_other_projects_are_not_beside(alice: User, bob: User, shared_project: Project) -> None:
    say(alice, *TALK[:2])
    say(bob, *TALK[:2])
    say(alice, *TALK[2:4], first=2, project=shared_project)
    Record.objects.filter(user=bob).delete()

    assert beside(found_around(alice, "1", "2")) == {
        "0": {1: "1"},
        "1": {-1: "0"},
        "2": {1: "3"},
        "3": {-1: "2"},
    }


def test_what_the_user_may_not_see_is_not_read(alice: User, bob: User) -> None:
    say(bob, *TALK)

    assert found_around(alice, "2").turns == {}
    assert found_around(AnonymousUser(), "2").turns == {}


def test_turns_after_a_pause_are_another_conversation(alice: User) -> None:
    say(alice, *TALK[:2], minutes=6 * 60)
    say(alice, *TALK[2:4], first=2, minutes=6 * 60 + 1)

    assert beside(found_around(alice, "1")) == {"0": {1: "1"}, "1": {-1: "0"}, "2": {}, "3": {}}


def test_text_that_is_no_turn_parts_a_conversation(alice: User) -> None:
    say(alice, TALK[0], TALK[1], "run the migrations first", TALK[3], TALK[4])

    assert beside(found_around(alice, "2")) == {
        "0": {1: "1"},
        "1": {-1: "0"},
        "2": {},
        "3": {1: "4"},
        "4": {-1: "3"},
    }


def test_order_is_that_of_the_times_and_then_of_the_ids(alice: User) -> None:
    say(alice, "Ana: second", first=2)
    say(alice, "Ben: first", first=1)
    put(alice, "3", "Ana: third", born=BORN + timedelta(minutes=2), embedder=MODEL)

    assert beside(found_around(alice, "2")) == {"1": {1: "2", 2: "3"}, "2": {-1: "1", 1: "3"}, "3": {-2: "1", -1: "2"}}


def test_turns_that_others_stored_in_between_are_passed_over(alice: User, bob: User) -> None:
    for number, text in enumerate(TALK[:3]):
        say(alice, text, first=number)
        for other in range(3):
            put(bob, f"of bob {number} {other}", "Zoe: hi", embedder=MODEL)

    assert beside(found_around(alice, "1")) == {"0": {1: "1", 2: "2"}, "1": {-1: "0", 1: "2"}, "2": {-2: "0", -1: "1"}}


def test_vectors_of_another_model_are_not_compared(alice: User) -> None:
    say(alice, *TALK)
    query = QueryVector([1.0, 0.0], "another", ["notes_a"])
    scope = Scope.of(scope_of(alice, Search("boat", source="notes")))

    assert around(scope, [Record.objects.get(key="2").pk], query).turns == {}


def test_turn_without_a_vector_has_no_cosine(alice: User) -> None:
    say(alice, *TALK[:2])
    Record.objects.filter(key="0").update(embedding=None)

    turn = found_around(alice, "1").turns[Record.objects.get(key="0").pk]

    assert turn.cosine is None


def test_turn_of_a_model_without_tokens_has_no_codes(alice: User) -> None:
    put(alice, "0", TALK[0], embedder=WordEmbedder())

    assert found_around(alice, "0").turns[Record.objects.get(key="0").pk].codes is None
