"""`memory hook` in an excluded folder, as an agent runs it: a process that keeps nothing and says nothing."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from memorycli.hook import command as hook_command
from memoryserver.client import exclusions, places
from memoryserver.client.exclusions import Exclusions
from tests.support.laptops.repositories import repository, worktree

EVENTS: dict[str, dict[str, object]] = {
    "SessionStart": {"source": "startup"},
    "UserPromptSubmit": {"prompt": "Sort the tax papers of Mr Smith"},
    "PostToolUse": {"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "t", "tool_response": "a"},
    "PostToolUseFailure": {"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "u", "error": "no"},
    "PreCompact": {"trigger": "auto"},
    "PostCompact": {},
    "Stop": {},
    "SubagentStop": {"agent_id": "a"},
    "SessionEnd": {"reason": "exit"},
}


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MEMORYSERVER_HOME", str(tmp_path / "home"))
    for name in ("CLAUDE_PROJECT_DIR", exclusions.VARIABLE):
        monkeypatch.delenv(name, raising=False)
    return tmp_path / "home"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return repository(tmp_path / "client")


def run(name: str, folder: Path, **environment: str) -> str:
    """What the hook answers to the event of that name in a session in `folder`."""
    event = {"hook_event_name": name, "session_id": "s", "cwd": str(folder)} | EVENTS[name]
    done = subprocess.run(
        hook_command.argv(),
        input=json.dumps(event).encode(),
        capture_output=True,
        check=False,
        env=os.environ | environment,
        cwd=folder,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    return done.stdout.decode().strip()


def kept(home: Path) -> list[str]:
    return sorted(str(path.relative_to(home)) for path in home.rglob("*") if path.is_file())


@pytest.mark.parametrize("name", EVENTS)
def test_event_is_not_kept_and_its_agent_told_nothing(name: str, home: Path, project: Path) -> None:
    exclusions.save([str(project)])
    before = kept(home)

    answer = run(name, project)

    assert answer == ("{}" if name in ("PreCompact", "PostCompact") else "")  # which Codex takes for no error
    assert (kept(home), list(project.iterdir())) == (before, [project / ".git"])


def test_same_events_are_kept_once_the_folder_is_included(home: Path, project: Path) -> None:
    exclusions.save([str(project)])
    exclusions.save([], removed=[str(project)])

    for name in ("SessionStart", "PostToolUse"):
        run(name, project)

    assert {path.split("/")[0] for path in kept(home)} >= {"trajectory", "sessions"}


def test_fleet_excludes_by_a_variable(home: Path, project: Path) -> None:
    for name in EVENTS:
        run(name, project, MEMORYSERVER_EXCLUDE=str(project.parent))

    assert kept(home) == []


def test_session_in_a_worktree_of_an_excluded_repository_leaves_where_it_was_and_no_more(
    home: Path, project: Path, tmp_path: Path
) -> None:
    tree = worktree(project, tmp_path / "fix")
    exclusions.save([str(project)])

    for name in EVENTS:
        run(name, tree)

    assert {path.split("/")[0] for path in kept(home)} == {".config.lock", "excluded", "folders"}
    tree.rename(tmp_path / "gone")
    assert Exclusions().of(str(tree)) == places.of(project).main


def test_call_of_a_shell_that_went_into_an_excluded_folder_is_not_kept(
    home: Path, project: Path, tmp_path: Path
) -> None:
    shop = repository(tmp_path / "shop")
    exclusions.save([str(project)])

    run("PostToolUse", project, CLAUDE_PROJECT_DIR=str(shop))
    assert not (home / "trajectory").exists()
    run("PostToolUse", shop, CLAUDE_PROJECT_DIR=str(shop))
    assert (home / "trajectory/s/calls.jsonl").read_text().count("\n") == 1
