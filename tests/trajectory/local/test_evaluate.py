"""A trajectory in files: quiet calls, restarts, sub-agents, damage."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from typing import Any

import pytest

from memoryserver.client import context_cache, places
from trajectory.local import ToolCallRecord, evaluate, recorder, store

FILE = ".wink/trajectory/assessment.md"


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("MEMORYSERVER_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("MEMORYSERVER_TRAJECTORY_DIR", raising=False)
    return tmp_path / "home"


@pytest.fixture
def project(tmp_path):
    (tmp_path / "project").mkdir()
    return tmp_path / "project"


def call(error: str = "", **fields: Any) -> dict[str, Any]:
    return {"tool_name": "Bash", "session_id": "s", "tool_input": {"command": "make"}, "error": error} | fields


def timeless(text: str) -> str:
    return "\n".join(line for line in text.split("\n") if not line.startswith(("**Time**", "**Generated**")))


def written(project, path: str = FILE) -> str:
    return timeless((project / path).read_text()) if (project / path).exists() else ""


def test_third_failure_is_told_and_written(project):
    told = [recorder.record_report(call("boom"), project).tell for _ in range(4)]
    assert [bool(text) for text in told] == [False, False, True, False]
    assert told[2].startswith(
        "Automated check of your tool calls: The same `Bash` call failed 3 times with the same error: `boom`. Fix that"
    )
    assert "call failed 4 times with the same error" in written(project)


def test_success_takes_the_warning_out_of_the_file(project):
    for _ in range(3):
        recorder.record_report(call("boom"), project)
    recorder.record_report(call(), project)
    assert written(project) == ""


def test_four_failures_in_a_row_are_told_and_three_are_noted(project):
    told = [
        recorder.record_report(call(f"boom {n}", tool_input={"command": f"make {n}"}), project).tell for n in range(4)
    ]
    assert [bool(text) for text in told] == [False, False, False, True]
    assert told[3].startswith(
        "Automated check of your tool calls: 4 calls failed in a row, the last with: `boom 3`. Fix that first."
    )


def test_names_that_repeat_are_nothing(project):
    told = [recorder.record_report(call(tool_input={"command": f"make {n}"}), project).tell for n in range(40)]
    assert (told, written(project)) == ([""] * 40, "")


SEQUENCE = [*["boom"] * 4, *[""] * 7, *["bang"] * 9, "", *["boom"] * 3]
IN_ONE_PROCESS = """
import json, sys
from pathlib import Path
from trajectory.local import recorder
for error in json.loads(sys.argv[1]):
    taken = recorder.record_report({"tool_name": "Bash", "session_id": "s", "error": error}, Path(sys.argv[2]))
    print(json.dumps([taken.tell, taken.problem]))
"""


def replayed(monkeypatch, tmp_path, name: str, parts: list[list[str]]) -> tuple[list[str], str]:
    """What was told call by call and what stood at the end, each part in a process of its own."""
    monkeypatch.setenv("MEMORYSERVER_HOME", str(tmp_path / name))
    project = tmp_path / f"{name}-project"
    project.mkdir()
    told = []
    for part in parts:
        arguments = [sys.executable, "-c", IN_ONE_PROCESS, json.dumps(part), str(project)]
        done = subprocess.run(arguments, check=True, capture_output=True, text=True)
        told += [timeless(text) for text, _ in map(json.loads, done.stdout.splitlines())]
    return told, written(project)


def test_restart_in_the_middle_gives_the_same_assessments(monkeypatch, tmp_path):
    whole = replayed(monkeypatch, tmp_path, "whole", [SEQUENCE])
    halves = replayed(monkeypatch, tmp_path, "halves", [SEQUENCE[:7], SEQUENCE[7:14], SEQUENCE[14:]])
    assert halves == whole
    assert [n for n, text in enumerate(whole[0], 1) if text] == [3, 15]


def test_sub_agent_has_its_own_trajectory_and_its_own_file(project):
    for _ in range(3):
        recorder.record_report(call("boom", agent_id="sub1"), project)
    recorder.record_report(call(), project)
    assert written(project) == ""
    assert "Error Cascade" in written(project, ".wink/trajectory/assessment.sub1.md")


def test_sessions_at_work_at_once_do_not_overwrite_each_others_findings(project):
    beside = ".wink/trajectory/assessment.t.md"
    for error in ("boom", "bang"):
        for _ in range(3):
            recorder.record_report(call(error, session_id={"boom": "s", "bang": "t"}[error]), project)
    both = [error in written(project, path) for path in (FILE, beside) for error in ("boom", "bang")]
    recorder.record_report(call(), project)
    after_the_first = (written(project), "bang" in written(project, beside))
    recorder.record_report(call("bang", session_id="t"), project)

    assert both == [True, False, False, True]
    assert after_the_first == ("", True)
    assert ("bang" in written(project), written(project, beside)) == (True, "")


def test_text_that_no_session_has_written_is_replaced_by_findings(project):
    (project / FILE).parent.mkdir(parents=True)
    (project / FILE).write_text("left from another laptop")
    for _ in range(3):
        recorder.record_report(call("boom"), project)
    assert "boom" in written(project)
    assert "another laptop" not in written(project)


@pytest.mark.parametrize(
    "damage", [b"", b"{", b'{"observers": 3, "state": [], "plan": 7}', b'{"observers": {"x": {"y": 1}}}']
)
def test_damaged_state_starts_the_memory_anew_and_keeps_the_calls(project, damage):
    for _ in range(2):
        taken = recorder.record_report(call("boom"), project)
    (taken.trajectory.folder / store.STATE).write_bytes(damage)
    taken = recorder.record_report(call("boom"), project)
    assert (taken.row["call_index"], bool(taken.tell), taken.problem) == (3, True, "")


def test_foreign_rows_are_no_calls(project):
    taken = recorder.record_report(call(), project)
    with (taken.trajectory.folder / store.CALLS).open("ab") as file:
        file.write(b'{"call_index": 7}\n')
    session = evaluate.load(taken.trajectory)
    assert [record.call_index for record in session[ToolCallRecord].all()] == [1]


def test_project_that_is_gone_is_reported_and_not_made(tmp_path):
    taken = [recorder.record_report(call("boom"), tmp_path / "gone") for _ in range(3)][-1]
    assert taken.row["call_index"] == 3
    assert taken.problem == f"{FILE}: the project folder {tmp_path / 'gone'} does not exist"
    assert not (tmp_path / "gone").exists()


def test_quiet_call_does_not_touch_the_state(project):
    taken = recorder.record_report(call(), project)
    state = taken.trajectory.folder / store.STATE
    before = state.stat().st_mtime_ns
    for n in range(5):
        recorder.record_report(call(tool_input={"command": f"make {n}"}), project)
    assert state.stat().st_mtime_ns == before


def test_forgotten_trajectory_takes_its_warning_along(project):
    for _ in range(3):
        taken = recorder.record_report(call("boom"), project)
    evaluate.forget(taken.trajectory)
    assert (written(project), store.all_trajectories()) == ("", [])


@pytest.mark.parametrize(
    ("path", "expected"),
    [("a/assessment.md", "a/assessment.x.md"), (".wink/assessment", ".wink/assessment.x")],
)
def test_output_path_of_a_sub_agent_names_it(path, expected):
    assert evaluate.output_path(path, store.trajectory("s", "x")) == expected
    assert evaluate.output_path(path, store.trajectory("s")) == path


def test_calls_after_a_prompt_are_another_turn_where_the_events_do_not_name_it(project):
    for _ in range(2):
        recorder.record_report(call("boom"), project)
    store.trajectory("s").count_prompt()
    told = [recorder.record_report(call("boom"), project) for _ in range(3)]
    assert [(taken.row["turn"], taken.row["streak"], bool(taken.tell)) for taken in told] == [
        ("prompt 1", 1, False),
        ("prompt 1", 2, False),
        ("prompt 1", 3, True),
    ]
    store.trajectory("s").count_prompt()
    recorder.record_report(call("boom"), project)
    assert (written(project), store.trajectory("s").state()["prompts"]) == ("", 2)


def test_turn_that_an_event_names_comes_first(project):
    store.trajectory("s").count_prompt()
    assert recorder.record_report(call(turn_id="p7"), project).row["turn"] == "p7"


def test_finding_that_goes_on_is_told_once_more_with_what_the_memory_knows_about_it(project):
    (project / ".git").mkdir()
    line = "psycopg raises OperationalError where DATABASE_URL is not set"
    context_cache.store(places.project_key(project), "http://server", f"- {line}\n- Use pnpm.\n")
    error = "psycopg.OperationalError: connection to DATABASE_URL refused"
    told = [recorder.record_report(call(error), project).tell for _ in range(9)]
    assert [n for n, text in enumerate(told, 1) if text] == [3, 6]
    assert [f"Known here: {line}" in told[index] for index in (2, 5)] == [False, True]


def test_memory_that_knows_nothing_about_a_finding_adds_no_message(project):
    (project / ".git").mkdir()
    context_cache.store(places.project_key(project), "http://server", "- Use pnpm.\n")
    calls = [call(result="3 items", error="") for _ in range(9)]
    told = [recorder.record_report(each, project).tell for each in calls]
    assert [n for n, text in enumerate(told, 1) if text] == [3, 6]
    assert all("Known here" not in text for text in told)


def test_evaluation_without_an_answer_keeps_the_message_for_the_next_one(project):
    for _ in range(2):
        taken = recorder.record_report(call("boom"), project)
    taken.trajectory.append(dict(taken.row) | {"tool_use_id": ""})
    assert evaluate.evaluate(taken.trajectory, project, session_id="s", in_answer=False) == ("", "")
    assert "failed in a row" in recorder.record_report(call("boom"), project).tell


def test_session_that_ended_has_no_open_findings_and_keeps_its_calls(project):
    for _ in range(3):
        taken = recorder.record_report(call("boom"), project)
    assert evaluate.has_findings(taken.trajectory.state()) is True
    evaluate.end(taken.trajectory)
    assert (evaluate.has_findings(taken.trajectory.state()), written(project)) == (False, "")
    assert [row["call_index"] for row in taken.trajectory.tail(9)] == [1, 2, 3]


def test_session_is_ended_after_half_an_hour_of_silence_and_no_sooner(project):
    for _ in range(3):
        taken = recorder.record_report(call("boom"), project)
    calls = taken.trajectory.folder / store.CALLS
    for minutes, ended in [(29, 0), (31, 1), (31, 0)]:
        os.utime(calls, (time.time() - 60 * minutes,) * 2)
        assert evaluate.end_silent() == ended
    assert written(project) == ""
