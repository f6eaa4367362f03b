from __future__ import annotations

import pytest

from memoryserver.client import agent_session, places


def test_session_is_that_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in (places.SESSION_VARIABLE, places.CODEX_SESSION_VARIABLE):
        monkeypatch.delenv(variable, raising=False)
    assert agent_session.current() == ""
    monkeypatch.setenv(places.SESSION_VARIABLE, "7c0f-1")
    assert agent_session.current() == "7c0f-1"
    monkeypatch.setenv(places.CODEX_SESSION_VARIABLE, "codex-1")  # started by the other's shell
    assert agent_session.current() == "codex-1"


@pytest.mark.parametrize("session", ["a\nb", "\x1b[31m", "ä", " ", "x" * 181, None, 7])
def test_what_cannot_be_sent_in_a_header_is_none(session: object) -> None:
    assert agent_session.sendable(session) == ""
