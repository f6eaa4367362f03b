"""What apps register for the page of a session."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memoryserver import agent_sessions
from memoryserver.accounts.models import User
from memoryserver.agent_sessions import Item

MOMENT = datetime(2026, 11, 20, tzinfo=UTC)


@pytest.fixture(autouse=True)
def nothing_registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agent_sessions, "_sources", {})
    monkeypatch.setattr(agent_sessions, "_finders", [])


def item(title: str, hour: int) -> Item:
    return Item("learning", title, "gotcha", "/", MOMENT.replace(hour=hour))


def test_items_of_all_apps_come_in_the_order_of_time(alice: User) -> None:
    agent_sessions.register("b", lambda *of: [item(f"late of {of[2]}", 9)])
    agent_sessions.register("a", lambda *_: [item("early", 3), item("last", 10)])

    assert [found.title for found in agent_sessions.items(alice, alice, "s-1")] == ["early", "late of s-1", "last"]


def test_session_without_an_id_has_nothing(alice: User) -> None:
    agent_sessions.register("a", lambda *_: [item("early", 3)])
    agent_sessions.register_pages(lambda _, wanted: dict.fromkeys(wanted, "/x/"))

    assert (agent_sessions.items(alice, alice, ""), agent_sessions.page_of(alice, alice, "")) == ([], "")
    assert agent_sessions.page_of(alice, alice, "s-1") == "/x/"


def test_without_pages_of_sessions_there_is_no_address(alice: User) -> None:
    assert agent_sessions.page_of(alice, alice, "s-1") == ""
