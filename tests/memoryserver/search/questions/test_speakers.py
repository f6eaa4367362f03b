"""Questions about those who speak in the scope."""

from __future__ import annotations

import pytest
from django.db.models import QuerySet

from memoryserver.accounts.models import User
from memoryserver.search.plan import Scope
from memoryserver.search.questions.preparation import prepare
from memoryserver.search.questions.speakers import is_spoken_by, is_turn, names_in, restated, speaking
from memoryserver.vectors.models import Record
from tests.memoryserver.search.notes import put

TURNS = {
    "Elena": ["Hey Marcus! How are the dogs?", "I sing in a choir", "Alto, actually", "Do it, Marcus!"],
    "Marcus": ["I signed up for a class", "A rocking chair, Elena", "My kids want a puppy"],
}


pytestmark = pytest.mark.usefixtures("notes")


def restated_in(records: QuerySet[Record], query: str) -> str | None:
    known = prepare(Scope.of(records), query, ["notes_a", "ghap_strategy"], names_in(query), by_words=True)
    return restated(query, speaking(known.heads))


@pytest.fixture
def scope(alice: User) -> None:
    for name, turns in TURNS.items():
        for number, said in enumerate(turns):
            put(alice, f"{name}{number}", f"{name}: {said}")
    put(alice, "tip", "Safari: third-party cookies are dropped")
    put(alice, "other", "Safari and Postgres were upgraded")


@pytest.mark.usefixtures("scope")
@pytest.mark.parametrize(
    ("query", "other"),
    [
        ("What class did Marcus sign up for?", "class did I sign up for"),
        ("When is Marcus's mother's birthday?", "my mother's birthday"),
        ("Which voice does Elena sing", "voice does I sing"),
        ("How many dogs do Elena and Marcus have?", "dogs do I and I have"),
        ("Elena’s choir", "my choir"),
        ("Marcus", "I"),
        ("what class did marcus sign up for", None),
        ("Why does checkout fail in Safari?", None),
        ("What about Postgres and Zoe?", None),
        ("why does it hang", None),
        ("100% of C:\\ or (?P<x>", None),
    ],
)
def test_question_about_a_speaker_is_put_in_the_first_person(query: str, other: str | None) -> None:
    assert restated_in(Record.objects.all(), query) == other


@pytest.mark.parametrize(
    "head",
    ["Marcus: ", "[8 May 2023] Marcus: ", "**Marcus**: ", "Marcus Vale (9:30): ", "(12) Marcus : "],
)
def test_speaker_is_known_by_the_beginning_of_the_turn(alice: User, head: str) -> None:
    for number in range(3):
        put(alice, f"{number}", f"{head}I baked bread {number}")

    assert restated_in(Record.objects.all(), "What did Marcus bake?") == "I bake"


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Marcus: bread", ["Marcus"]),
        ("[8 May 2023] Marcus: bread", ["Marcus"]),
        ("2023-05-08 10:30: Marcus: bread", ["Marcus"]),
        ("session: Marcus: bread", ["Marcus"]),
        ("user Marcus: bread", ["Marcus"]),
        ("**Marcus Vale** (9:30): bread", ["Marcus", "Vale"]),
        ("**Marcus:** bread", ["Marcus"]),
        ("Marcus (to Elena): bread", ["Marcus"]),
        ("Marcus: I asked Elena: bread", ["Marcus"]),
        ("Élodie: pain", ["Élodie"]),
        ("marcus: bread", []),
        ("see https://example.org", []),
        ("at 9:30 it hangs", []),
        ("run the migrations first", []),
        (f"{'word ' * 20}Marcus: bread", []),
    ],
)
def test_turn_begins_with_its_speaker(text: str, names: list[str]) -> None:
    assert is_turn(text) is bool(names)
    assert [name for name in ("Marcus", "Vale", "Elena", "Élodie", "Mar") if is_spoken_by(name, text)] == names


def test_name_of_a_field_of_entries_is_no_speaker(alice: User) -> None:
    for number in range(3):
        put(alice, f"{number}", f"Strategy: bread {number}", collection="ghap_strategy")

    assert restated_in(Record.objects.all(), "Strategy for bread") is None


def test_speaker_of_two_turns_or_of_few_of_those_that_name_them_is_not_one(alice: User) -> None:
    for number in range(2):
        put(alice, f"{number}", f"Marcus: bread {number}")
    assert restated_in(Record.objects.all(), "What did Marcus bake?") is None

    put(alice, "2", "Marcus: bread 2")
    for number in range(13):
        put(alice, f"of{number}", f"We talked about Marcus on day {number}")
    assert restated_in(Record.objects.all(), "What did Marcus bake?") is None


def test_speaker_outside_of_the_scope_does_not_count(alice: User, bob: User) -> None:
    for number in range(3):
        put(alice, f"{number}", f"Marcus: bread {number}")

    assert restated_in(Record.objects.filter(user=bob), "What did Marcus bake?") is None
