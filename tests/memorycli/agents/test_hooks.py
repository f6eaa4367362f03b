from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorycli.agents import claude_code, codex, handlers, hooks, jsontext

WANTED = {"Stop": {"type": "command", "command": "memory hook"}, "PostToolUse": handlers.http_form("http://x", 5)}
FOREIGN = st.fixed_dictionaries({"type": st.just("command"), "command": st.sampled_from(["fmt", "a b", "ü"])})
GROUPS = st.lists(
    st.fixed_dictionaries(
        {"hooks": st.lists(FOREIGN, max_size=2)}, optional={"matcher": st.sampled_from(["", "Bash|Edit"])}
    ),
    max_size=3,
)
SETTINGS = st.fixed_dictionaries(
    {},
    optional={
        "model": st.just("opus"),
        "hooks": st.dictionaries(st.sampled_from(["Stop", "PostToolUse", "Notification"]), GROUPS),
        "permissions": st.fixed_dictionaries({"allow": st.lists(st.text(max_size=4))}),
    },
)


@given(settings=SETTINGS, style=st.sampled_from([None, 2, 4, "\t"]))
def test_entries_come_and_go_and_nothing_else_changes(settings: dict[str, Any], style: Any) -> None:
    text = json.dumps(settings, indent=style, ensure_ascii=False)

    after = hooks.put(text, WANTED)

    document = jsontext.parse(after)
    assert hooks.are_in(document, WANTED)
    assert hooks.take(after, hooks.empty_containers(text)) == text
    rest = {key: value for key, value in document.items() if key != "hooks"}
    assert rest == {key: value for key, value in settings.items() if key != "hooks"}
    for event, groups in settings.get("hooks", {}).items():
        assert document["hooks"][event][: len(groups)] == groups


def test_entry_that_was_moved_among_others_leaves_them_alone() -> None:
    group = {"matcher": "Bash", "hooks": [{"type": "command", "command": "fmt"}, WANTED["Stop"]]}
    text = json.dumps({"hooks": {"PostToolUse": [group]}}, indent=2)

    assert jsontext.parse(hooks.take(text)) == {"hooks": {"PostToolUse": [group | {"hooks": group["hooks"][:1]}]}}


@pytest.mark.parametrize(
    "document",
    [
        {"hooks": {"Stop": [{"hooks": [WANTED["Stop"], WANTED["Stop"]]}]}},
        {"hooks": {"Stop": [{"hooks": [WANTED["Stop"]]}, {"matcher": "x", "hooks": [WANTED["Stop"]]}]}},
    ],
)
def test_entry_that_is_there_twice_is_not_as_wanted_and_all_of_it_taken_out(document: dict[str, object]) -> None:
    assert not hooks.are_in(document, {"Stop": WANTED["Stop"]})
    assert jsontext.parse(hooks.take(json.dumps(document))) == {}


@pytest.mark.parametrize(
    "document",
    [[], "x", {"hooks": []}, {"hooks": {"Stop": {}}}, {"hooks": {"Stop": [1, {"hooks": {}}, {"hooks": [2]}]}}],
)
def test_strange_settings_hold_no_entry(document: object) -> None:
    assert hooks.ours(document) == []


@pytest.mark.parametrize(
    ("settings", "said"),
    [("[]", "no JSON object"), ('{"hooks": []}', "no object"), ('{"hooks": {"Stop": {}}}', "no array")],
)
def test_settings_that_cannot_take_an_entry_are_refused(settings: str, said: str) -> None:
    with pytest.raises(jsontext.JsonTextError, match=said):
        hooks.put(settings, WANTED)


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
        *claude_code.wanted("user", exec_form=True).values(),
        *claude_code.wanted("project", exec_form=False).values(),
        *codex.wanted("user").values(),
    ],
)
def test_entries_of_every_version_are_known(handler: object) -> None:
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
def test_entries_of_others_are_not(handler: object) -> None:
    assert not handlers.is_ours(handler)


@pytest.mark.parametrize("name", ["plain", "with space", "quote'\"", "dollar$HOME`x`", "ümläut", "a;b&c"])
@pytest.mark.parametrize("exec_form", [True, False])
def test_command_reaches_the_program_in_whatever_folder(name: str, exec_form: bool, tmp_path: Path) -> None:
    program = tmp_path / name / "python"
    program.parent.mkdir()
    program.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n')
    program.chmod(0o755)
    make = handlers.exec_form if exec_form else handlers.shell_form
    entry = make([str(program), "-P", "a b"], 5)
    words = [entry["command"], *entry["args"]] if exec_form else ["sh", "-c", entry["command"]]

    assert subprocess.run(words, capture_output=True, check=True, text=True).stdout == "-P\na b\n"


def test_installed_command_answers_wherever_the_agent_works(tmp_path: Path) -> None:
    """The folder of the agent's work holds modules by the names of ours and of the standard library."""
    for name in ("json.py", "memoryserver.py", "trajectory.py", "os.py"):
        (tmp_path / name).write_text("raise SystemExit('taken from the agent\\'s folder')")
    environment = {"PATH": os.environ["PATH"], "MEMORYSERVER_HOME": str(tmp_path / "home")}
    environment["PYTHONPATH"] = str(Path(__file__).parents[3])

    done = subprocess.run(
        handlers.hook_argv(), cwd=tmp_path, env=environment, input=b"{}", capture_output=True, check=True
    )

    assert (done.stdout, done.stderr) == (b"", b"")


def test_shared_command_is_silent_where_the_program_is_not_installed(tmp_path: Path) -> None:
    done = subprocess.run(
        ["/bin/sh", "-c", handlers.SHARED_COMMAND], env={"PATH": str(tmp_path)}, capture_output=True, check=True
    )

    assert (done.stdout, done.stderr) == (b"", b"")


@pytest.mark.parametrize(
    ("argv", "line"),
    [
        ([r"C:\py\python.exe", "-P", "-m", "memorycli", "hook"], "C:/py/python.exe -P -m memorycli hook"),
        ([r"C:\Program Files\ü\python.exe", "hook"], '"C:/Program Files/ü/python.exe" hook'),
    ],
)
def test_line_for_windows_has_no_backslash(argv: list[str], line: str) -> None:
    assert handlers.shell_words(argv, windows=True) == line
    assert handlers.is_ours({"type": "command", "command": "x"}) is False


@pytest.mark.parametrize(
    ("known", "windows", "expected"),
    [
        ((2, 1, 139), False, True),
        ((2, 1, 138), False, False),
        ((2, 1, 138), True, False),
        ((3, 0, 0), False, True),
        (None, False, False),
        (None, True, True),
    ],
)
def test_args_are_written_only_for_versions_that_know_them(known, windows, expected) -> None:
    assert claude_code.takes_exec_form(known, windows=windows) is expected


@pytest.mark.parametrize(
    ("script", "expected"),
    [("echo '2.1.214 (Claude Code)'", (2, 1, 214)), ("echo nothing", None), ("exit 3", None), ("printf '\\377'", None)],
)
def test_version_is_asked_of_the_program(script, expected, tmp_path, monkeypatch) -> None:
    (tmp_path / "claude").write_text(f"#!/bin/sh\n{script}\n")
    (tmp_path / "claude").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))

    assert claude_code.version() == expected


def test_hook_runs_with_this_interpreter() -> None:
    assert handlers.hook_argv()[0] == sys.executable
