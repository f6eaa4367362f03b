"""Scopes that an agent has in a folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from memorycli.agents import scope as agent_scope
from memorycli.errors import UsageError
from tests.support.agents.agent_settings import isolated_laptop


@pytest.fixture(autouse=True)
def _laptop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    isolated_laptop(tmp_path, monkeypatch, capsys)


@pytest.mark.parametrize(("agent", "scope"), [("claude-code", "user"), ("claude-code", "local"), ("codex", "user")])
def test_scopes_with_files_of_their_own_in_the_home_folder_are_accepted(agent: str, scope: str) -> None:
    agent_scope.check(agent, scope, Path.home())


@pytest.mark.parametrize(
    ("agent", "scope", "message"),
    [
        (
            "claude-code",
            "project",
            "{home}/.claude/settings.json has your own settings of Claude Code, for all projects; use --scope user",
        ),
        (
            "codex",
            "project",
            "{home}/.codex/hooks.json has your own settings of Codex, for all projects; use --scope user",
        ),
        ("codex", "local", "Codex has no local scope; use --scope user or project"),
    ],
)
def test_scope_without_files_of_its_own_in_the_home_folder_is_wrong_usage(agent: str, scope: str, message: str) -> None:
    with pytest.raises(UsageError) as error:
        agent_scope.check(agent, scope, Path.home())

    assert str(error.value) == message.format(home=Path.home())
