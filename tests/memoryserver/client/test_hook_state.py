"""What the hook remembers of a session between its events."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memoryserver.client.hook_state import MAX_SESSIONS, SessionMemory


@pytest.fixture(autouse=True)
def sessions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the sessions' files."""
    monkeypatch.setenv("MEMORYSERVER_HOME", str(tmp_path))
    return tmp_path / "sessions"


def values(memory: SessionMemory) -> tuple[str, str]:
    return memory.journal_session, memory.offered


def save(session_id: str, offered: str = "ghap-1") -> None:
    memory = SessionMemory(session_id)
    memory.journal_session, memory.offered = "session-1", offered
    memory.save()


def test_session_without_a_file_remembers_nothing() -> None:
    assert values(SessionMemory("a")) == ("", "")


def test_saved_memory_comes_back_in_its_session_only() -> None:
    save("a")
    assert values(SessionMemory("a")) == ("session-1", "ghap-1")
    assert values(SessionMemory("b")) == ("", "")


def test_folder_in_which_the_session_began_comes_back() -> None:
    memory = SessionMemory("s1")
    assert memory.root == ""
    memory.root = "/work/shop"
    memory.save()
    assert (SessionMemory("s1").root, SessionMemory("s2").root) == ("/work/shop", "")


def test_session_without_an_id_is_the_default_one() -> None:
    save("")
    assert values(SessionMemory("default")) == ("session-1", "ghap-1")


def test_hostile_id_names_a_file_in_the_folder(sessions: Path) -> None:
    save("../../etc/passwd")
    assert [path.parent for path in sessions.iterdir()] == [sessions]


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"journal_session": 3, "offered": null}'])
def test_damaged_file_is_an_empty_memory(sessions: Path, content: bytes) -> None:
    save("a")
    next(sessions.iterdir()).write_bytes(content)
    assert values(SessionMemory("a")) == ("", "")


def test_oldest_half_is_removed_for_a_new_session_once_there_are_too_many(sessions: Path) -> None:
    sessions.mkdir()
    for number in range(MAX_SESSIONS):
        path = sessions / f"{number}.json"
        path.write_text("{}")
        os.utime(path, (number, number))
    save("new")
    names = {path.name for path in sessions.iterdir()}
    assert len(names) == MAX_SESSIONS // 2 + 1
    assert {f"{number}.json" for number in range(MAX_SESSIONS // 2, MAX_SESSIONS)} < names


def test_known_session_removes_no_other(sessions: Path) -> None:
    save("known")
    for number in range(MAX_SESSIONS):
        (sessions / f"{number}.json").write_text("{}")
    save("known", "ghap-2")
    assert (len(list(sessions.iterdir())), SessionMemory("known").offered) == (MAX_SESSIONS + 1, "ghap-2")
