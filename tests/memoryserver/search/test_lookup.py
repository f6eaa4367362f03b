"""What an id names, for those who may see it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from capture import sink
from capture.deliveries import IncomingLearning
from capture.models import Learning
from ghap.intake import receive
from ghap.models import Entry
from memoryserver.accounts.models import Project, User
from memoryserver.errors import InvalidInputError
from memoryserver.search.lookup import MAX_MATCHES, MAX_WORD, look_up
from obslog import log
from obslog.models import Observation
from tests.support.rows.ghap_entries import body
from tests.support.rows.observations import new
from tests.support.rows.sent_calls import call
from trajectory.intake import receive as receive_calls
from trajectory.models import Trajectory

ID = "ghap_20261120_143022_a1b2c3"
OTHER = "ghap_20261120_143022_d4e5f6"
SESSION = "0b9c64d1-7f0e-4c5a-9f6e-1a2b3c4d5e6f"


@pytest.fixture
def rows(alice: User, shared_project: Project) -> dict[str, str]:
    """Alice's rows in the team's project: the id of each, by kind."""
    receive(alice, shared_project, [body(), body(id=OTHER, goal="Find the leak")])
    receive_calls(alice, shared_project, SESSION, "", [call(1), call(2)])
    receive_calls(alice, shared_project, SESSION, "helper", [call(1)])
    sink.store_by_hand(alice, shared_project, IncomingLearning("gotcha", "The export needs the VPN.", 1.0, 0))
    observation = log.append(alice, new(message="moved the export"))
    return {"learning": str(Learning.objects.get().pk), "observation": str(observation.id)}


def named(user: User, word: str) -> list[tuple[str, str]]:
    return [(match.kind, match.id) for match in look_up(user, word).matches]


def test_each_kind_is_found_by_its_id(alice: User, rows: dict[str, str]) -> None:
    learning, observation = rows["learning"], rows["observation"]

    assert named(alice, ID) == [("entry", f"ghap/{ID}")]
    assert named(alice, f" ghap/{ID}\n") == [("entry", f"ghap/{ID}")]
    assert named(alice, learning) == [("learning", f"learnings/{learning}")]
    assert named(alice, f"learnings/{learning}") == [("learning", f"learnings/{learning}")]
    assert named(alice, observation) == [("observation", f"observations/{observation}")]
    assert named(alice, observation.upper().replace("-", "")) == [("observation", f"observations/{observation}")]
    assert named(alice, SESSION) == [("session", f"sessions/{SESSION}")]


def test_beginning_is_enough_where_it_names_one(alice: User, rows: dict[str, str]) -> None:
    assert named(alice, "ghap_20261120_143022_a1") == [("entry", f"ghap/{ID}")]
    assert named(alice, "20261120_143022_d") == [("entry", f"ghap/{OTHER}")]
    assert named(alice, rows["observation"][:-4]) == [("observation", f"observations/{rows['observation']}")]
    assert named(alice, SESSION[:8]) == [("session", f"sessions/{SESSION}")]
    assert {id_ for _, id_ in named(alice, "20261120_1430")} == {f"ghap/{ID}", f"ghap/{OTHER}"}


def test_session_of_the_journal_names_its_entries(alice: User, rows: dict[str, str]) -> None:
    assert {id_ for _, id_ in named(alice, "session_20261120_140000_d4e5f6")} == {f"ghap/{ID}", f"ghap/{OTHER}"}


def test_sub_agents_session_is_found_where_the_main_agent_has_none(alice: User, shared_project: Project) -> None:
    receive_calls(alice, shared_project, "alone", "helper", [call(1)])

    (match,) = look_up(alice, "alone").matches

    assert (match.kind, match.title) == ("session", "1 tool call, agent helper")


def test_page_names_what_it_shows(alice: User, rows: dict[str, str]) -> None:
    entry, session = Entry.objects.get(ghap_id=ID).pk, Trajectory.objects.get(agent_id="helper").pk
    pages = {
        f"/entries/{entry}/": f"ghap/{ID}",
        f"https://memory.example.org/entries/{entry}/?x=1#story": f"ghap/{ID}",
        f"/learnings/{rows['learning']}/": f"learnings/{rows['learning']}",
        f"/log/{rows['observation']}/": f"observations/{rows['observation']}",
        f"/trajectory/{session}/": f"sessions/{SESSION}",
        f"entries/{entry}": f"ghap/{ID}",
        f"trajectory/{session}/": f"sessions/{SESSION}",
        f"https://memory.example.org/entries/{entry}": f"ghap/{ID}",
    }

    assert {page: [id_ for _, id_ in named(alice, page)] for page in pages} == {
        page: [id_] for page, id_ in pages.items()
    }
    for match in (match for page in pages for match in look_up(alice, page).matches):
        assert named(alice, match.page) == [(match.kind, match.id)]


NOT_FOUND = [
    *("ghap_", "2026", "nothing", "0", "99999999999999999999", "learnings/", "learnings/x", "unknown/1", "0b9"),
    *("entries/999999999", "entries", "teams"),
    *("g" * 32, "/", "/entries/999999999/", "/nowhere/", "https://[/entries/1/", "ghap/", "sessions/"),
    *("%", "caf\udce9", "\0"),
]  # fmt: skip


@pytest.mark.parametrize("word", NOT_FOUND, ids=range(len(NOT_FOUND)))
def test_what_names_nothing_has_no_match(word: str, alice: User, rows: dict[str, str]) -> None:
    assert named(alice, word) == []


@pytest.mark.parametrize("word", ["", " \n", "x" * (MAX_WORD + 1)], ids=["empty", "blank", "long"])
def test_word_that_cannot_be_an_id_is_refused(word: str, alice: User) -> None:
    with pytest.raises(InvalidInputError, match="an id has 1 to 300 characters"):
        look_up(alice, word)


def test_mate_finds_what_the_team_shares_and_a_stranger_nothing(
    alice: User, bob: User, charlie: User, rows: dict[str, str]
) -> None:
    words = (ID, rows["learning"], rows["observation"], SESSION, f"/entries/{Entry.objects.get(ghap_id=ID).pk}/")

    assert [len(named(bob, word)) for word in words] == [1, 1, 0, 1, 1]
    assert [len(named(charlie, word)) for word in words] == [0, 0, 0, 0, 0]
    assert Observation.objects.filter(pk=rows["observation"]).exists()


def test_hidden_learning_is_not_found(alice: User, rows: dict[str, str]) -> None:
    Learning.objects.update(hidden=True)

    assert named(alice, rows["learning"]) == []


def test_own_row_comes_before_a_mates_of_the_same_id(bob: User, alice: User, shared_project: Project) -> None:
    receive(alice, shared_project, [body()])
    receive(bob, shared_project, [body(goal="Of Bob")])

    assert [match.user for match in look_up(bob, ID).matches] == ["bob", "alice"]


def test_whole_id_wins_over_those_that_begin_so(alice: User) -> None:
    receive(alice, None, [body(id="ghap_20261120"), body()])

    assert named(alice, "ghap_20261120") == [("entry", "ghap/ghap_20261120")]


def test_many_matches_are_cut_and_said(alice: User) -> None:
    receive(alice, None, [body(id=f"ghap_20261120_143022_{number:06x}") for number in range(MAX_MATCHES + 2)])

    found = look_up(alice, "ghap_20261120")

    assert (len(found.matches), found.more) == (MAX_MATCHES, True)


def test_number_of_statements_does_not_grow_with_the_matches(
    alice: User, django_assert_max_num_queries: Callable[..., object]
) -> None:
    receive(alice, None, [body(id=f"ghap_20261120_143022_{number:06x}") for number in range(9)])

    with django_assert_max_num_queries(6):  # type: ignore[attr-defined]
        look_up(alice, "ghap_20261120")
