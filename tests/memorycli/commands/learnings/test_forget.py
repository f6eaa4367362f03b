"""`memory forget` against the server itself, over HTTP."""

from __future__ import annotations

import json

import pytest
from django.utils import timezone
from pytest_django.live_server_helper import LiveServer

from capture import curation
from capture.models import Learning
from memorycli.delivery import connection
from memoryserver.accounts import tokens
from memoryserver.accounts.models import Membership, Project, Team, User
from memoryserver.accounts.scopes import LAPTOP
from tests.support.laptops.laptop import Laptop


@pytest.fixture
def alice(memory: Laptop, live_server: LiveServer, transactional_db: None) -> User:
    """The person who is logged in, with the scopes of a laptop."""
    user = User.objects.create(username="alice")
    _, token = tokens.issue(user, "laptop", scopes=LAPTOP)
    connection.store(live_server.url, token)
    return user


def learn(user: User, project: Project | None = None) -> Learning:
    now = timezone.now()
    return Learning.objects.create(
        user=user,
        project=project,
        type="gotcha",
        content="Staging is on port 5433",
        confidence=1,
        first_seen=now,
        last_seen=now,
    )


def test_learning_is_hidden_and_shown_again(memory: Laptop, alice: User) -> None:
    row = learn(alice)

    hidden = memory("forget", f"learnings/{row.pk}")
    row.refresh_from_db()
    was_hidden = row.hidden
    shown = memory("forget", "--undo", str(row.pk), "--json")
    row.refresh_from_db()

    assert (hidden.status, hidden.out) == (0, f"Hidden: Staging is on port 5433\nUndo: memory forget --undo {row.pk}\n")
    assert (was_hidden, row.hidden, json.loads(shown.out)["hidden"]) == (True, False, False)
    assert list(row.changes.order_by("pk").values_list("what", "made_by")) == [
        ("hidden", alice.pk),
        ("shown", alice.pk),
    ]


def test_learning_of_somebody_else_is_refused_with_what_can_be_done(memory: Laptop, alice: User) -> None:
    bob, team = User.objects.create(username="bob"), Team.objects.create(name="crew")
    for user in (alice, bob):
        Membership.objects.create(team=team, user=user)
    row = learn(bob, Project.objects.create(team=team, key="shop"))

    said = memory("forget", str(row.pk))
    row.refresh_from_db()

    assert (said.status, row.hidden) == (1, False)
    assert said.err == (
        "memory: only its author, or a lead of the team, may change a learning; store what holds instead: "
        f"memory learn --replaces {row.pk} '...', which marks it for them to decide\n"
    )


def test_storing_what_is_hidden_says_so_instead_of_that_it_is_found(memory: Laptop, alice: User) -> None:
    wording = "Staging is on port 5433 of `db.example`"
    first = memory("learn", wording)
    key = Learning.objects.get().pk
    memory("forget", str(key))
    again = memory("learn", wording)
    as_json = memory("learn", wording, "--json")
    memory("forget", "--undo", str(key))

    assert first.out == f"Stored as learnings/{key}.\n"
    assert (again.status, again.out) == (
        0,
        f"Not shown: it was stored before and is hidden, as it did not hold. Undo: memory forget --undo {key}\n",
    )
    assert {**json.loads(as_json.out), "state": "hidden", "id": key} == json.loads(as_json.out)
    assert memory("learn", wording).out == f"Stored as learnings/{key}.\n"
    assert memory("learn", wording).out == "Already stored.\n"


def test_storing_what_was_deleted_is_refused(memory: Laptop, alice: User) -> None:
    wording = "Staging is on port 5433 of `db.example`"
    memory("learn", wording)
    key = Learning.objects.get().pk
    memory("forget", str(key))
    curation.delete(alice, key)
    again = memory("learn", wording)

    assert (again.status, "this learning was deleted; reword it to store it again" in again.err) == (1, True)


def test_unknown_learning_and_a_word_that_is_no_id_are_refused(memory: Laptop, alice: User) -> None:
    assert [memory("forget", word).status for word in ("77", "ghap/1")] == [1, 2]
