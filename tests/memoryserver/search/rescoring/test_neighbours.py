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

    records = found_around(alice, "1", words="how is the boat Ben").records
    record = Record.objects.get(key="1")

    assert records[record.pk].text == "Ben: how is the boat"
    assert records[record.pk].cosine == pytest.approx(1)
    assert records[record.pk].codes == bytes(record.token_codes.codes)
    assert records[Record.objects.get(key="0").pk].cosine == pytest.approx(0)


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

    assert found_around(alice, "2").records == {}
    assert found_around(AnonymousUser(), "2").records == {}


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


def test_order_is_that_in_which_they_were_stored(alice: User) -> None:
    say(alice, "Ana: first", first=2)
    say(alice, "Ben: second", first=1)
    say(alice, "Ana: third", first=3)

    assert beside(found_around(alice, "1")) == {"2": {1: "1", 2: "3"}, "1": {-1: "2", 1: "3"}, "3": {-2: "2", -1: "1"}}


def test_turns_far_from_each_other_are_not_beside(alice: User) -> None:
    say(alice, *(f"Ana: turn {number}" for number in range(12)))

    found = beside(found_around(alice, "0", "11"))

    assert sorted(found, key=int) == ["0", "1", "2", "3", "9", "10", "11"]
    assert (found["3"], found["9"]) == ({-2: "1", -1: "2"}, {1: "10", 2: "11"})


def test_ids_that_were_used_up_between_turns_part_nothing(alice: User) -> None:
    for number, text in enumerate(TALK[:3]):
        say(alice, text, first=number)
        for _ in range(30):
            say(alice, text, first=number)

    assert beside(found_around(alice, "1")) == {"0": {1: "1", 2: "2"}, "1": {-1: "0", 1: "2"}, "2": {-2: "0", -1: "1"}}


def test_turns_that_a_filter_leaves_out_are_beside_as_well(alice: User) -> None:
    for number, text in enumerate(TALK[:5]):
        put(alice, f"{number}", text, embedder=MODEL, paint="red" if number in (0, 4) else "blue")
    query = QueryVector(MODEL.embed("boat"), MODEL.model_name, ["notes_a"])
    scope = Scope.of(scope_of(alice, Search("boat", source="notes", filters={"colour": "red"})))

    found = beside(around(scope, list(Record.objects.values_list("pk", flat=True)), query))

    assert (found["0"], found["4"]) == ({1: "1", 2: "2"}, {-2: "2", -1: "3"})


def test_names_of_the_fields_of_an_entry_are_no_speakers(alice: User) -> None:
    for number in range(3):
        put(alice, f"{number}", f"Goal: {number}", collection="ghap_full", embedder=MODEL)
    query = QueryVector(MODEL.embed("boat"), MODEL.model_name, ["ghap_full"])
    scope = Scope.of(Record.objects.all())

    found = around(scope, list(Record.objects.values_list("pk", flat=True)), query)

    assert beside(found) == {"0": {}, "1": {}, "2": {}}
    assert all(row.codes for row in found.records.values())  # compared token by token like any result


def test_vector_of_zeros_has_no_cosine_and_a_question_is_known_by_its_end(alice: User) -> None:
    say(alice, f"Ana: {'long ' * 300}question? ", "Ben: no")
    Record.objects.filter(key="1").update(embedding=[0.0] * MODEL.dimension)

    records = found_around(alice, "0").records

    assert [(row.asks, row.cosine is None) for row in records.values()] == [(True, False), (False, True)]


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

    assert around(scope, [Record.objects.get(key="2").pk], query).records == {}


def test_turn_without_a_vector_has_no_cosine(alice: User) -> None:
    say(alice, *TALK[:2])
    Record.objects.filter(key="0").update(embedding=None)

    turn = found_around(alice, "1").records[Record.objects.get(key="0").pk]

    assert turn.cosine is None


def test_turn_of_a_model_without_tokens_has_no_codes(alice: User) -> None:
    put(alice, "0", TALK[0], embedder=WordEmbedder())

    assert found_around(alice, "0").records[Record.objects.get(key="0").pk].codes is None
