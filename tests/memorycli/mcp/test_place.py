"""The project of a call, and its client of the server."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memorycli.delivery import connection
from memorycli.mcp.place import NoServerError, Place, laptop
from memoryserver.client import agent_processes, ended_sessions, home_folder, places
from memoryserver.client.hook_state import SessionMemory
from memoryserver.client.http import Client
from tests.support.agents.agents import another_agent
from tests.support.laptops.laptop import Laptop
from trajectory.local import store


def repository(folder: Path) -> Path:
    (folder / ".git").mkdir(parents=True)
    return folder


def test_without_roots_the_project_is_that_of_the_current_folder(memory: Laptop, tmp_path: Path) -> None:
    assert laptop([]).root == memory.project
    assert laptop([tmp_path / "missing"]).root == memory.project


def test_first_existing_root_names_the_project(memory: Laptop, tmp_path: Path) -> None:
    shop, other = repository(tmp_path / "shop"), repository(tmp_path / "other")
    (shop / "src").mkdir()

    assert laptop([tmp_path / "missing", shop / "src", other]).root == shop


def test_project_of_the_agents_folder_is_used_where_it_is_among_those_of_the_roots(
    memory: Laptop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop, other = repository(tmp_path / "shop"), repository(tmp_path / "other")
    (shop / "service").mkdir()
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(shop / "service"))

    assert laptop([other, shop]).root == laptop([other, shop / "service"]).root == shop
    assert laptop([other]).root == other


def test_place_on_the_laptop_has_a_project_and_a_journal(memory: Laptop) -> None:
    place = Place(memory.project)

    assert (place.on_laptop, place.folder, place.journal) == (True, memory.project, memory.journal)
    assert place.project


def test_place_over_http_has_only_the_callers_client() -> None:
    client = Client("http://x", "secret")
    place = Place(caller=client)

    assert (place.on_laptop, place.project, place.client()) == (False, None, client)
    assert "secret" not in repr(place)
    with pytest.raises(AssertionError):
        _ = place.folder


def record_call(memory: Laptop, session: str, folder: Path) -> None:
    trajectory = store.trajectory(session)
    trajectory.append({"tool_name": "Read"})
    trajectory.save_state({"session_id": session, "project": str(folder)})


def test_session_is_the_one_whose_calls_the_hooks_record_here(
    memory: Laptop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(places.SESSION_VARIABLE, raising=False)
    place = Place(memory.project)
    assert place.session() == ""

    record_call(memory, "s-1", memory.project)
    record_call(memory, "elsewhere", tmp_path / "another")
    monkeypatch.setenv(places.SESSION_VARIABLE, "of-an-earlier-session")
    assert place.session() == "s-1"


def test_which_of_several_sessions_calls_is_known_by_the_environment_alone(
    memory: Laptop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(places.SESSION_VARIABLE, raising=False)
    for session in ("s-1", "s-2"):
        record_call(memory, session, memory.project)
    assert Place(memory.project).session() == ""

    monkeypatch.setenv(places.SESSION_VARIABLE, "s-2")
    assert Place(memory.project).session() == "s-2"


def test_session_is_that_of_the_process_which_started_this_one(memory: Laptop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(places.SESSION_VARIABLE, "s-2")
    for session in ("s-1", "s-2"):
        record_call(memory, session, memory.project)
    agent_processes.record("s-new")
    assert Place(memory.project).session() == "s-new"


def test_session_of_a_process_with_several_is_the_one_in_the_folder_or_at_work(memory: Laptop, tmp_path: Path) -> None:
    for session, folder in (("s-1", memory.project), ("s-2", tmp_path / "worktree")):
        hook_state = SessionMemory(session)
        hook_state.root = str(folder)
        hook_state.save()
        agent_processes.record(session)
    assert Place(memory.project).session() == "s-1"
    assert Place(tmp_path / "elsewhere").session() == ""

    for path in (home_folder.path() / "processes").iterdir():
        os.utime(path, (1, 1))
    record_call(memory, "s-2", tmp_path / "worktree")
    assert Place(tmp_path / "elsewhere").session() == "s-2"


def test_live_session_of_another_process_is_not_the_callers(memory: Laptop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(places.SESSION_VARIABLE, raising=False)
    record_call(memory, "s-1", memory.project)
    with another_agent("s-1"):
        assert Place(memory.project).session() == ""
    assert Place(memory.project).session() == "s-1"


def test_session_that_ended_is_not_that_of_a_call(memory: Laptop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(places.SESSION_VARIABLE, raising=False)
    record_call(memory, "s-1", memory.project)
    ended_sessions.record("s-1")
    assert Place(memory.project).session() == ""

    record_call(memory, "s-2", memory.project)
    place = Place(memory.project)
    assert (place.session(), place.sessions_at_work()) == ("s-2", {"s-2"})


def test_session_that_was_silent_for_minutes_is_not_that_of_a_call(
    memory: Laptop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(places.SESSION_VARIABLE, raising=False)
    record_call(memory, "s-1", memory.project)
    monkeypatch.setattr("memorycli.mcp.place.LIVE_SECONDS", -1.0)
    assert Place(memory.project).session() == ""


def test_client_on_the_laptop_needs_a_login(memory: Laptop) -> None:
    with pytest.raises(NoServerError, match="not logged in"):
        Place(memory.project).client()

    connection.store("http://127.0.0.1:1", "t")
    assert Place(memory.project).client().url == "http://127.0.0.1:1"
