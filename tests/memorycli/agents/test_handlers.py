"""The forms of a hook's entry, and which entries are this product's."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from memorycli.agents import claude_code, codex, handlers


@pytest.mark.parametrize(
    "handler",
    [
        {"type": "command", "command": "memory hook"},
        {"type": "command", "command": "memory", "args": ["hook"]},
        {"type": "command", "command": "/home/a b/bin/memory hook"},
        {"type": "command", "command": "'/home/a b/bin/memory' hook"},
        {"type": "command", "command": r"C:\Users\a b\memory.exe", "args": ["hook", "--plugin"]},
        {"type": "command", "command": handlers.SHARED_COMMAND},
        {"type": "command", "command": "/usr/bin/python3 -P -m memorycli hook"},
        {"type": "command", "command": "/usr/bin/python3", "args": ["-m", "memorycli.main", "hook"]},
        {"type": "command", "command": "/usr/bin/python3", "args": ["-I", "-c", "from memorycli.hook.events import x"]},
        {"type": "command", "command": "/usr/bin/python3 /x/memorycli/hook_main.py"},
        {"type": "http", "url": "https://memory.example.org/api/v1/hooks/claude-code"},
        *claude_code.hook_entries("user", exec_form=True).values(),
        *claude_code.hook_entries("project", exec_form=False).values(),
        *codex.hook_entries("user").values(),
    ],
)
def test_entries_of_every_version_are_ours(handler: object) -> None:
    assert handlers.is_ours(handler)


@pytest.mark.parametrize(
    "handler",
    [
        None,
        {},
        {"type": "command", "command": "fmt"},
        {"type": "command", "command": "mcp-memory hook"},
        {"type": "command", "command": "memory-bank hook"},
        {"type": "command", "command": "memory search hook"},
        {"type": "command", "command": "other", "args": "hook"},
        {"type": "command", "command": "grep -r memoryserver . # hook"},
        {"type": "http", "url": "https://example.org/hooks"},
    ],
)
def test_entries_of_other_programs_are_not_ours(handler: object) -> None:
    assert not handlers.is_ours(handler)


@pytest.mark.parametrize("name", ["plain", "with space", "quote'\"", "dollar$HOME`x`", "ümläut", "a;b&c"])
@pytest.mark.parametrize("exec_form", [True, False])
def test_program_in_any_folder_gets_its_arguments(name: str, exec_form: bool, tmp_path: Path) -> None:
    program = tmp_path / name / "python"
    program.parent.mkdir()
    program.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n')
    program.chmod(0o755)
    make = handlers.exec_form if exec_form else handlers.shell_form
    entry = make([str(program), "-P", "a b"], 5)
    words = [entry["command"], *entry["args"]] if exec_form else ["sh", "-c", entry["command"]]

    assert subprocess.run(words, capture_output=True, check=True, text=True).stdout == "-P\na b\n"


def test_installed_command_ignores_modules_in_the_current_folder(tmp_path: Path) -> None:
    """The agent's current folder has modules with the names of ours and of the standard library."""
    for name in ("json.py", "memoryserver.py", "trajectory.py", "os.py"):
        (tmp_path / name).write_text("raise SystemExit('taken from the agent\\'s folder')")
    environment = {"PATH": os.environ["PATH"], "MEMORYSERVER_HOME": str(tmp_path / "home")}
    environment["PYTHONPATH"] = str(Path(__file__).parents[3])

    process = subprocess.run(
        handlers.hook_argv(), cwd=tmp_path, env=environment, input=b"{}", capture_output=True, check=True
    )

    assert (process.stdout, process.stderr) == (b"", b"")


def test_shared_command_is_silent_without_the_program(tmp_path: Path) -> None:
    process = subprocess.run(
        ["/bin/sh", "-c", handlers.SHARED_COMMAND], env={"PATH": str(tmp_path)}, capture_output=True, check=True
    )

    assert (process.stdout, process.stderr) == (b"", b"")


@pytest.mark.parametrize(
    ("argv", "line"),
    [
        ([r"C:\py\python.exe", "-P", "-m", "memorycli", "hook"], "C:/py/python.exe -P -m memorycli hook"),
        ([r"C:\Program Files\ü\python.exe", "hook"], '"C:/Program Files/ü/python.exe" hook'),
    ],
)
def test_command_line_for_windows_has_no_backslash(argv: list[str], line: str) -> None:
    assert handlers.shell_words(argv, windows=True) == line


def test_hook_runs_with_this_interpreter() -> None:
    assert handlers.hook_argv()[0] == sys.executable


def test_exec_form_keeps_the_arguments_apart() -> None:
    assert handlers.exec_form(["a b", "-c", "d"], 7) == {
        "type": "command",
        "command": "a b",
        "args": ["-c", "d"],
        "timeout": 7,
    }


def test_http_form_names_the_variable_of_the_token() -> None:
    entry = handlers.http_form("https://memory.example.org", 5)

    assert entry["url"] == "https://memory.example.org/api/v1/hooks/claude-code"
    assert entry["headers"] == {"Authorization": "Bearer ${MEMORYSERVER_TOKEN}"}
    assert entry["allowedEnvVars"] == ["MEMORYSERVER_TOKEN"]


@pytest.mark.parametrize(
    ("handler", "words"),
    [
        ({"command": "a", "args": ["b c", 1]}, ["a", "b c", "1"]),
        ({"command": "a b"}, ["a b"]),
        ({"command": "a", "args": "b"}, ["a"]),
        ({}, [""]),
    ],
)
def test_command_words_are_the_command_and_its_arguments(handler: dict[str, object], words: list[str]) -> None:
    assert handlers.command_words(handler) == words
