"""`memory learn` against the server itself, over HTTP, and without one."""

from __future__ import annotations

import os
import sys
from datetime import UTC, datetime

import pytest
from pytest_django.live_server_helper import LiveServer

from capture.models import Learning
from capture.review.sessions import learnings_of
from memorycli.delivery import connection, manual_learnings
from memorycli.main import main
from memoryserver.accounts import tokens
from memoryserver.accounts.models import User
from memoryserver.client import agent_processes, ended_sessions, places
from tests.support.laptops.laptop import Laptop

GOOD = "`npm test` never ends because Vitest watches; `npx vitest run` does"
OTHER = "The export needs the VPN, since its host is not public"
NO_SERVER = "Saved; it will be sent later (not logged in; run: memory login URL).\n"


@pytest.fixture
def alice(memory: Laptop, live_server: LiveServer, transactional_db: None) -> User:
    """The person who is logged in."""
    user = User.objects.create(username="alice")
    _, token = tokens.issue(user, "laptop")
    connection.store(live_server.url, token)
    return user


def test_learning_is_stored_on_the_server_as_the_agents(memory: Laptop, alice: User) -> None:
    said = memory("learn", GOOD, "--type", "gotcha", "--file", "package.json", "--project", "shop")

    learning = Learning.objects.get()
    new = "Project shop is new, and only you see it: if the key is mistyped, use the right one."
    assert (said.status, said.out, said.err) == (0, f"Stored as learnings/{learning.pk}. {new}\n", "")
    again = memory("learn", OTHER, "--project", "shop").out
    other = Learning.objects.get(content=OTHER)
    assert again == f"Stored as learnings/{other.pk}.\n"
    other.delete()
    assert (learning.user, learning.type, learning.content, learning.files, learning.source) == (
        alice,
        "gotcha",
        GOOD,
        ["package.json"],
        "agent",
    )
    assert manual_learnings.outbox().waiting() == []


def test_learning_is_stored_without_its_secrets_which_is_noted(memory: Laptop, alice: User) -> None:
    said = memory("learn", "The `import` job needs password=hunter2xyz of the staging database")

    learning = Learning.objects.get()
    assert (said.status, said.out) == (0, f"Stored as learnings/{learning.pk}.\n")
    assert said.err == "memory: note: cut out as secret: password; the rest is stored\n"
    assert "password=[redacted:password]" in learning.content


def test_learning_replaces_another_one_also_if_it_was_stored_before(memory: Laptop, alice: User) -> None:
    memory("learn", "The staging database is on port 5433")
    memory("learn", "The staging database is on port 5544")
    earlier, later = (Learning.objects.get(content__endswith=port) for port in ("5433", "5544"))

    said = memory("learn", "The staging database is on port 5544", "--replaces", f"learnings/{earlier.pk}")
    earlier.refresh_from_db()
    refused = memory("learn", "The staging database is on port 6655", "--replaces", "99999")

    replaced = "what it replaces is hidden now, or where only others may hide it, marked as contradicted."
    assert (said.status, said.out) == (0, f"Stored as learnings/{later.pk}; {replaced}\n")
    assert (earlier.hidden, Learning.objects.count()) == (True, 2)
    assert (refused.status, "learning 99999 is not found" in refused.err) == (1, True)
    assert memory("learn", GOOD, "--replaces", "ghap/1").status == 2


def test_learning_belongs_to_the_session_of_the_agent_that_stored_it(
    memory: Laptop, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(places.SESSION_VARIABLE, "s-1")
    memory("learn", GOOD)

    learning = Learning.objects.get()
    assert learning.by_hand_at is not None
    assert (learning.by_hand_session, learning.by_hand_by) == ("s-1", "agent")
    assert [(item.title, item.start) for item in learnings_of(alice, alice, "s-1")] == [(GOOD, learning.by_hand_at)]


def test_command_of_an_agent_that_names_no_session_belongs_to_that_of_its_process(
    memory: Laptop, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(places.SESSION_VARIABLE, raising=False)
    agent_processes.record("s-before")
    ended_sessions.record("s-before")
    agent_processes.record("s-1")
    memory("learn", GOOD)

    learning = Learning.objects.get()
    assert (learning.by_hand_session, learning.by_hand_by) == ("s-1", "agent")


def test_command_without_a_session_is_a_persons_at_a_terminal_and_else_of_nobody_known(
    memory: Laptop, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(places.SESSION_VARIABLE, raising=False)
    memory("learn", OTHER)
    master, terminal = os.openpty()
    with os.fdopen(terminal) as stdin, os.fdopen(master):
        monkeypatch.setattr(sys, "stdin", stdin)
        assert main(["learn", GOOD]) == 0

    assert dict(Learning.objects.values_list("content", "by_hand_by")) == {OTHER: "", GOOD: "person"}


def test_learning_that_waited_offline_keeps_the_time_and_session_of_its_making(
    memory: Laptop, live_server: LiveServer, transactional_db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(places.SESSION_VARIABLE, "s-1")
    memory("learn", GOOD)
    monkeypatch.delenv(places.SESSION_VARIABLE)
    made_at = datetime.now(UTC)
    connection.store(live_server.url, tokens.issue(User.objects.create(username="alice"), "laptop")[1])
    memory("sync")

    learning = Learning.objects.get()
    assert learning.by_hand_session == "s-1"
    assert learning.by_hand_at is not None
    assert learning.by_hand_at <= made_at


def test_learning_that_still_waits_is_sent_when_it_is_stored_again(
    memory: Laptop, live_server: LiveServer, transactional_db: None
) -> None:
    assert [memory("learn", GOOD).out for _ in range(2)] == [NO_SERVER] * 2
    connection.store(live_server.url, tokens.issue(User.objects.create(username="alice"), "laptop")[1])

    assert memory("learn", GOOD).out == "Already stored.\n"
    assert Learning.objects.get().content == GOOD


def test_what_is_missing_is_said_and_nothing_is_stored(memory: Laptop) -> None:
    said = memory("learn", "All 66 tests pass")

    assert (said.status, said.out) == (1, "")
    assert said.err == (
        "memory: not stored: it says how this task went; say what will also hold in the next one. "
        "A good one: “Run `just check` before a commit: CI fails below 90 % coverage.” "
        "Reword it, or store it as it is with --anyway.\n"
    )
    assert manual_learnings.outbox().waiting() == []


def test_person_who_insists_stores_it_nonetheless(memory: Laptop) -> None:
    assert memory("learn", "All 66 tests pass", "--anyway").out == NO_SERVER
    assert len(manual_learnings.outbox().waiting()) == 1


def test_the_same_again_is_known_and_nearly_the_same_is_refused(memory: Laptop) -> None:
    assert memory("learn", GOOD).out == NO_SERVER

    assert memory("learn", GOOD.upper()).out == NO_SERVER
    assert len(manual_learnings.outbox().waiting()) == 1
    refused = memory("learn", GOOD.replace("does", "does end"))
    assert refused.status == 1
    assert refused.err.startswith(
        f"memory: not stored: it says the same as “{GOOD}”; store only what that does not say."
    )
    assert len(manual_learnings.outbox().waiting()) == 1
    assert memory("learn", GOOD, "--anyway").out == NO_SERVER
    assert len(manual_learnings.outbox().waiting()) == 2


def test_text_comes_from_standard_input_and_the_outcome_as_json(memory: Laptop) -> None:
    said = memory("learn", "-", "--type", "convention", "--project", "shop", "--json", stdin=b"Use pnpm, not npm\n")

    assert said.json() == {
        "type": "convention",
        "content": "Use pnpm, not npm",
        "project": "shop",
        "files": [],
        "id": None,
        "state": "waiting",
        "reason": "not logged in; run: memory login URL",
    }


def test_learning_that_the_server_refuses_is_not_remembered_as_stored(memory: Laptop, alice: User) -> None:
    long = f"`a.py` {'x' * 4000}"

    said = memory("learn", long, "--anyway")

    assert said.status == 1
    assert said.err.startswith("memory: the server refused the learning: ")
    assert memory("learn", long).err.startswith("memory: not stored: it has 4007 characters")


@pytest.mark.parametrize(
    ("content", "status"), [("", 2), ("  ", 2), ("<private>x</private>", 1)], ids=["empty", "blank", "private"]
)
def test_text_of_which_nothing_is_left_is_refused(memory: Laptop, content: str, status: int) -> None:
    said = memory("learn", content)

    assert said.status == status
    assert said.err.count("\n") == 1
    assert manual_learnings.outbox().waiting() == []
