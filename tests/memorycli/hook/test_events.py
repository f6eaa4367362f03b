"""`memory hook` as an agent runs it: a process that is given an event."""

from __future__ import annotations

import fcntl
import itertools
import json
import os
import subprocess
import sys
import termios
import time
from pathlib import Path
from subprocess import PIPE
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memorycli.hook import command as hook_command
from memorycli.hook.events import hook
from trajectory.local import store

NUMBERS = itertools.count()
HOOK = hook_command.argv()
FILE = ".wink/trajectory/assessment.md"


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("MEMORYSERVER_HOME", str(tmp_path / "home"))
    for name in ("CLAUDE_PROJECT_DIR", "MEMORYSERVER_TRAJECTORY_DIR", "MEMORYSERVER_JOURNAL_DIR"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path / "home"


def event(project: Path, name: object = "PostToolUse", **fields: Any) -> dict[str, Any]:
    common = {"session_id": "s", "cwd": str(project), "hook_event_name": name, "tool_use_id": f"toolu_{next(NUMBERS)}"}
    return common | {"tool_name": "Bash", "tool_input": {"command": "make"}} | fields


def failure(project: Path, **fields: Any) -> dict[str, Any]:
    return event(project, "PostToolUseFailure", error="Exit code 2\nmake: *** No rule") | fields


def run(given_event: object, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    data = given_event if isinstance(given_event, bytes) else json.dumps(given_event).encode()
    return subprocess.run([*HOOK, *arguments], input=data, capture_output=True, check=False)


def log(home) -> str:
    path = home / "logs/hook.log"
    return path.read_text() if path.exists() else ""


def test_successful_call_is_recorded_without_a_word(project, home):
    done = run(event(project, tool_response={"stdout": "ok"}))
    assert (done.returncode, done.stdout, done.stderr, log(home)) == (0, b"", b"", "")
    assert [row["params_summary"] for row in store.trajectory("s").tail(9)] == ["command=make"]


def test_third_failure_in_a_row_is_told_to_the_agent_and_written(project):
    answers = [run(failure(project)) for _ in range(4)]
    assert [bool(done.stdout) for done in answers] == [False, False, True, False]
    told = json.loads(answers[2].stdout)["hookSpecificOutput"]
    assert told["hookEventName"] == "PostToolUseFailure"
    assert len(told["additionalContext"]) <= 600
    assert "failed 3 times with the same error: " in told["additionalContext"]
    assert "failed 4 times with the same error: " in (project / FILE).read_text()


def test_event_that_comes_twice_is_one_call(project):
    same = failure(project)
    assert [run(same).stdout for _ in range(4)] == [b""] * 4
    assert [row["call_index"] for row in store.trajectory("s").tail(9)] == [1]


def test_calls_of_one_message_that_fail_together_are_one_failure(project, tmp_path):
    transcript = tmp_path / "s.jsonl"
    events = [failure(project, transcript_path=str(transcript)) for _ in range(5)]
    blocks = [{"type": "tool_use", "id": each["tool_use_id"]} for each in events]
    lines = [{"type": "assistant", "message": {"id": "msg_1", "content": [block]}} for block in blocks[:3]]
    lines += [{"type": "assistant", "message": {"id": f"msg_{n}", "content": [blocks[n]]}} for n in (3, 4)]
    transcript.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert [bool(run(each).stdout) for each in events] == [False, False, False, False, True]
    assert [row["streak"] for row in store.trajectory("s").tail(9)] == [1, 1, 1, 2, 3]


def test_project_that_the_agent_names_wins_over_the_folder_of_the_event(project, tmp_path, monkeypatch):
    (tmp_path / "named").mkdir()
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(tmp_path / "named"))
    for _ in range(3):
        run(failure(project))
    assert (tmp_path / "named" / FILE).exists()
    assert list(project.iterdir()) == []


def test_folder_inside_of_a_repository_stands_for_the_repository(project):
    (project / ".git").mkdir()
    (project / "src").mkdir()
    for _ in range(3):
        run(failure(project / "src"))
    assert (project / FILE).exists()


@pytest.mark.parametrize(
    "command", [["-m", "memorycli", "hook"], ["-c", "from memorycli.main import main; main()", "hook"]]
)
def test_other_ways_to_start_the_hook_do_the_same(project, command):
    data = json.dumps(event(project)).encode()
    done = subprocess.run([sys.executable, *command], input=data, capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert len(store.trajectory("s").tail(9)) == 1


def test_call_counts_for_the_check_in_where_there_is_a_journal(project):
    journal = project / ".claude/journal"
    run(event(project))
    assert not journal.exists()
    journal.mkdir(parents=True)
    for _ in range(2):
        run(event(project))
    assert (journal / ".tool_count").read_text() == "2"


def test_broken_journal_costs_the_count_and_not_the_record(project, home):
    journal = project / ".claude/journal"
    (journal / ".lock").mkdir(parents=True)
    assert run(event(project)).returncode == 0
    assert "journal: IsADirectoryError" in log(home)
    assert len(store.trajectory("s").tail(9)) == 1


@pytest.mark.parametrize("name", ["PreToolUse", "Notification", "SubagentStart", "Unheard", 7, None, ["PostToolUse"]])
def test_other_event_does_nothing_and_says_nothing(project, home, name):
    done = run(event(project, name))
    assert (done.returncode, done.stdout, done.stderr, log(home)) == (0, b"", b"", "")
    assert not (home / "trajectory").exists()


@pytest.mark.parametrize(
    ("data", "logged"),
    [
        (b"", ""),
        (b" \n", ""),
        (b"nope", "EventError: standard input is not JSON"),
        (b"[1, 2]", "EventError: an event is a JSON object, this is a list"),
        (b'{"hook_event_name": "PostToolUse"', "EventError: standard input is not JSON"),
        (b'{"hook_event_name": "PostToolUse"}', "CallError: a tool call needs its tool_name"),
        (b'{"a":' * 100_000, "EventError: the JSON is nested too deeply"),
        (b"\x00" * 1000, "EventError: standard input is not JSON"),
        (b'{"hook_event_name": "PostToolUse", "tool_name": "T", "tool_input": ' + b"9" * 5000 + b"}", "EventError: "),
    ],
)
def test_bad_input_is_logged_and_never_shown(home, data, logged):
    done = run(data)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert logged in log(home)
    assert bool(log(home)) is bool(logged)


def test_byte_order_mark_invalid_bytes_and_lone_surrogates_are_borne_with(project, home):
    data = json.dumps(event(project, tool_input={"command": "echo \ud83d XX"})).encode()
    assert run(b"\xef\xbb\xbf" + data.replace(b"XX", b"\xff\xfe")).returncode == 0
    assert [row["params_summary"] for row in store.trajectory("s").tail(1)] == ["command=echo \ufffd \ufffd\ufffd"]
    assert log(home) == ""


def test_home_that_cannot_be_made_is_borne_with(project, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("MEMORYSERVER_HOME", str(tmp_path / "file"))
    done = run(event(project))
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_working_folder_that_was_deleted_is_borne_with(project, home):
    done = subprocess.run(
        ["sh", "-c", 'mkdir gone && cd gone && rmdir ../gone && exec "$@"', "sh", *HOOK],
        input=json.dumps(event(Path("relative/and/gone"))).encode(),
        cwd=project,
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_pipe_that_the_agent_leaves_open_is_not_waited_for(project):
    with subprocess.Popen(HOOK, stdin=PIPE) as process:
        assert process.stdin
        process.stdin.write(json.dumps(event(project)).encode())
        process.stdin.flush()
        assert process.wait() == 0
    assert len(store.trajectory("s").tail(9)) == 1


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_descriptors_are_borne_with(project, closed):
    for _ in range(3):
        done = subprocess.run(
            ["sh", "-c", f'exec "$@" {closed}', "sh", *HOOK],
            input=json.dumps(failure(project)).encode(),
            capture_output=True,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, b"")


def test_reader_that_went_away_makes_no_noise(project):
    for _ in range(2):
        run(failure(project))
    with subprocess.Popen(HOOK, stdin=PIPE, stdout=PIPE, stderr=PIPE) as process:
        assert process.stdin
        assert process.stdout
        assert process.stderr
        process.stdout.close()
        process.stdin.write(json.dumps(failure(project)).encode())
        process.stdin.close()
        assert (process.stderr.read(), process.wait()) == (b"", 0)


def test_eight_hooks_at_once_lose_no_call(project, home):
    processes = []
    for n in range(24):
        process = subprocess.Popen(HOOK, stdin=PIPE, stdout=subprocess.DEVNULL)
        assert process.stdin
        process.stdin.write(json.dumps(failure(project, tool_use_id=f"toolu_{n}")).encode())
        process.stdin.close()
        processes.append(process)
        if len(processes) >= 8:
            processes[-8].wait()
    assert [process.wait() for process in processes] == [0] * 24
    rows = store.trajectory("s").tail(99)
    assert [row["call_index"] for row in rows] == list(range(1, 25))
    assert {row["tool_use_id"] for row in rows} == {f"toolu_{n}" for n in range(24)}
    assert log(home) == ""
    assert "call failed 24 times with the same error" in (project / FILE).read_text()


IMPORTED = "import time:"


def imported(arguments: list[str], data: bytes) -> set[str]:
    done = subprocess.run([sys.executable, "-X", "importtime", *arguments], input=data, capture_output=True, check=True)
    lines = done.stderr.decode().splitlines()
    return {line.rpartition("|")[2].strip() for line in lines if line.startswith(IMPORTED)}


def test_quiet_call_imports_the_standard_library_and_little_of_it(project):
    (project / ".claude/journal").mkdir(parents=True)
    run(event(project))  # the first call of a session makes the plan of when an observer is due
    data = json.dumps(event(project, tool_input={"command": "another"})).encode()
    loaded = imported(HOOK[1:], data) - imported(["-I", "-S", "-c", "pass"], b"")
    own = {"memorycli", "memoryserver", "trajectory", "ghap"}
    assert {name.partition(".")[0] for name in loaded} <= sys.stdlib_module_names | own | {"org"}
    heavy = {"asyncio", "argparse", "logging", "dataclasses", "inspect", "typing", "subprocess", "socket", "django"}
    heavy |= {"site", "datetime", "random", "threading", "shlex", "http.client"}
    assert heavy & loaded == set()
    assert store.trajectory("s").tail(1)[0]["call_index"] == 2


JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
FIELDS = ("session_id", "agent_id", "cwd", "tool_name", "tool_input", "tool_response", "error", "tool_use_id")
EVENTS = st.fixed_dictionaries(
    {"hook_event_name": st.sampled_from(["PostToolUse", "PostToolUseFailure"]) | JUNK},
    optional=dict.fromkeys(FIELDS, JUNK),
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=EVENTS.map(lambda value: json.dumps(value).encode()) | st.binary(max_size=200))
def test_any_input_ends_in_status_0_and_json_or_nothing(home, project, data, monkeypatch):
    monkeypatch.chdir(project)
    reading, writing = os.pipe()
    answer = project.parent / "answer"
    before = os.dup(0), os.dup(1)
    output = os.open(answer, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    try:
        os.write(writing, data)
        os.close(writing)
        os.dup2(reading, 0)
        os.dup2(output, 1)
        status = hook([])
    finally:
        for descriptor, number in zip(before, (0, 1), strict=True):
            os.dup2(descriptor, number)
            os.close(descriptor)
        os.close(reading)
        os.close(output)
    assert status == 0
    said = answer.read_bytes()
    assert said == b"" or set(json.loads(said)) == {"hookSpecificOutput"}


def test_words_after_hook_are_left_to_later_versions(project):
    assert run(event(project), "--agent", "codex").returncode == 0
    assert len(store.trajectory("s").tail(9)) == 1


def unread(pipe):
    """How many bytes of the pipe nobody has read."""
    return int.from_bytes(fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)), sys.byteorder)


def test_interrupt_while_waiting_ends_quietly(project):
    process = subprocess.Popen(HOOK, stdin=PIPE, stdout=PIPE, stderr=PIPE)
    assert process.stdin is not None
    process.stdin.write(b"{")
    process.stdin.flush()
    while unread(process.stdin):
        time.sleep(0.01)
    process.send_signal(2)
    out, err = process.communicate()
    assert (out, err) == (b"", b"")


def test_end_of_the_session_takes_its_findings_out_of_the_file(project):
    for _ in range(3):
        run(failure(project))
    assert (project / FILE).read_text() != ""
    run({"hook_event_name": "SessionEnd", "session_id": "s", "reason": "logout"})
    assert (project / FILE).read_text() == ""
    assert store.trajectory("s").tail(1)[0]["call_index"] == 3


def test_call_of_a_message_is_part_of_its_batch_also_when_it_succeeds(project, tmp_path):
    transcript = tmp_path / "s.jsonl"
    events = [event(project, transcript_path=str(transcript)) for _ in range(4)]
    blocks = [{"type": "tool_use", "id": each["tool_use_id"]} for each in events]
    line = {"type": "assistant", "message": {"id": "msg_1", "content": blocks}}
    transcript.write_text(json.dumps(line) + "\n")
    assert [run(each).stdout for each in events] == [b""] * 4
    assert {row["batch_id"] for row in store.trajectory("s").tail(9)} == {"msg_1"}
