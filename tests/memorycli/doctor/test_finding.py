"""The view of the laptop that the checks share."""

from __future__ import annotations

from pathlib import Path

import pytest

from memorycli.agents import claude_code
from memorycli.doctor.finding import Finding, View
from tests.support.fakes.api_server import HttpServer
from tests.support.laptops.doctor import settings_path
from tests.support.laptops.laptop import Laptop


def test_finding_equals_another_with_the_same_problem_and_fix() -> None:
    assert Finding("a", "b") == Finding("a", "b")
    assert Finding("a", "b") != Finding("a", "c")


def test_view_is_of_the_home_folder_and_the_project_of_the_current_folder(
    memory: Laptop, monkeypatch: pytest.MonkeyPatch
) -> None:
    (memory.project / "src").mkdir()
    monkeypatch.chdir(memory.project / "src")

    view = View()

    assert (view.home, view.root) == (memory.home, memory.project)


def test_agents_are_those_whose_folder_exists(memory: Laptop) -> None:
    assert View().agents == ["claude-code"]
    (Path.home() / ".codex").mkdir()
    assert View().agents == ["claude-code", "codex"]


def test_hook_files_are_the_existing_ones_with_our_entries(memory: Laptop) -> None:
    memory("install", "claude-code", "--scope", "local")
    (memory.project / ".claude" / "settings.json").write_text('{"hooks": {"Stop": []}}')

    files = View().hook_files

    assert [(file.agent, file.scope, len(file.entries)) for file in files] == [
        ("claude-code", "user", len(claude_code.TIMEOUTS)),
        ("claude-code", "project", 0),
        ("claude-code", "local", len(claude_code.TIMEOUTS)),
    ]


def test_damaged_hooks_file_has_an_error_that_names_it(memory: Laptop) -> None:
    settings_path().write_text("{")

    [file] = View().hook_files

    assert file.entries == ()
    assert file.error.startswith(f"{settings_path()} ")
    assert "nothing was changed" not in file.error


@pytest.mark.parametrize("content", [None, "", " \n", "{", "[]", b"\xff"])
def test_settings_without_an_object_are_empty(content: str | bytes | None, memory: Laptop) -> None:
    path = settings_path()
    path.unlink()
    if content is not None:
        path.write_bytes(content if isinstance(content, bytes) else content.encode())

    assert View().settings("user") == {}


def test_settings_of_each_scope_are_read_from_its_file(memory: Laptop) -> None:
    path = settings_path(".local")
    path.parent.mkdir()
    path.write_text('{"model": "opus"}')

    assert View().settings("local") == {"model": "opus"}
    assert View().settings("project") == {}


def test_server_is_asked_once(memory: Laptop, server: HttpServer) -> None:
    view = View()

    assert (view.server.answers, view.server.takes_token, view.server.answers) == (True, True, True)
    assert len(server.requests) == 1
