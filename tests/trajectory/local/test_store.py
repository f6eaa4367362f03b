"""Trajectories in files: numbered under a lock, read from the end, safe from hostile names."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trajectory.local import store


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("MEMORYSERVER_HOME", str(tmp_path))
    monkeypatch.delenv("CLAUDE_CODE_SESSION_ID", raising=False)
    return tmp_path


def row(**fields: Any) -> dict[str, Any]:
    return {"tool_name": "T", "outcome": "ok"} | fields


def test_trajectory_is_a_folder_of_the_session_outside_the_work_tree(home):
    trajectory = store.trajectory("s-1", "a1")
    trajectory.append(row())
    assert trajectory.folder == home / "trajectory/s-1.a1"


def test_trajectories_of_a_session_are_its_own_and_its_sub_agents_that_made_a_call():
    for session, agent in (("s", ""), ("s", "a1"), ("s", "b2"), ("s2", ""), ("S", "a1")):
        store.trajectory(session, agent).append(row())
    store.trajectory("s", "c3").count_prompt()

    assert [each.folder.name for each in store.of_session("s")] == ["s", "s.a1", "s.b2"]
    assert [each.folder.name for each in store.of_session("s", "a1")] == ["s.a1"]
    assert store.of_session("gone") == []


def test_prompts_and_compactions_are_counted_apart():
    trajectory = store.trajectory("s")
    trajectory.count_prompt()
    for _ in range(2):
        trajectory.count_compaction()
    state = trajectory.state()
    assert (store.turn_of(state), store.compactions_of(state)) == ("prompt 1", 2)
    assert store.apart_from_calls(state | {"plan": {}}) == {"prompts": 1, "compactions": 2}
    assert (store.turn_of({}), store.compactions_of({"compactions": "many"})) == ("", 0)


def test_calls_are_numbered_from_one_and_streaks_carried():
    trajectory = store.trajectory("s")
    kept = [trajectory.append(row(outcome=outcome)) for outcome in ("ok", "error", "error")]
    assert [(each["call_index"], each["streak"], each["streak_from"]) for each in kept] == [
        (1, 0, 0),
        (2, 1, 2),
        (3, 2, 2),
    ]
    assert trajectory.tail(2) == kept[1:]


def test_sub_agent_has_its_own_numbers():
    store.trajectory("s").append(row())
    assert store.trajectory("s", "a").append(row())["call_index"] == 1


def test_call_that_is_sent_again_is_kept_once():
    trajectory = store.trajectory("s")
    first = trajectory.append(row(tool_use_id="a"))
    trajectory.append(row(tool_use_id="b"))
    assert trajectory.append(row(tool_use_id="a", outcome="error")) == first
    assert [each["tool_use_id"] for each in trajectory.tail(9)] == ["a", "b"]


def test_torn_last_line_costs_itself_only():
    trajectory = store.trajectory("s")
    trajectory.append(row())
    calls = trajectory.folder / store.CALLS
    calls.write_bytes(calls.read_bytes() + b'{"tool_name":"torn","call_in')
    assert trajectory.append(row(tool_name="next"))["call_index"] == 2
    assert [each["tool_name"] for each in trajectory.tail(9)] == ["T", "next"]


@pytest.mark.parametrize(
    "junk", [b"null\n", b"[1]\n", b'{"call_index": "9"}\n', b'{"call_index": true}\n', b"\xff\xfe\n", b"\0" * 9000]
)
def test_foreign_line_at_the_end_is_passed_over(junk):
    trajectory = store.trajectory("s")
    trajectory.append(row())
    with (trajectory.folder / store.CALLS).open("ab") as file:
        file.write(junk)
    assert trajectory.append(row())["call_index"] == 2


def test_separators_that_are_legal_in_json_do_not_split_a_row():
    trajectory = store.trajectory("s")
    trajectory.append(row(params_summary="a\u2028b\u0085c"))
    assert trajectory.tail(1)[0]["params_summary"] == "a\u2028b\u0085c"


def test_call_after_a_terabyte_of_others_reads_only_the_end():
    trajectory = store.trajectory("s")
    trajectory.append(row())
    calls = trajectory.folder / store.CALLS
    os.truncate(calls, 1 << 40)  # sparse: nobody could read it whole
    with calls.open("ab") as file:
        file.write(b'\n{"call_index":100000,"tool_name":"T","outcome":"error","streak":2,"streak_from":99999}\n')
    kept = trajectory.append(row(outcome="error"))
    assert (kept["call_index"], kept["streak"], kept["streak_from"]) == (100_001, 3, 99_999)
    assert len(trajectory.tail(128)) == 2


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff", b"[" * 100_000])
def test_damaged_state_is_an_empty_one(content):
    trajectory = store.trajectory("s")
    trajectory.append(row())
    (trajectory.folder / store.STATE).write_bytes(content)
    assert trajectory.state() == {}


def test_cleared_trajectory_starts_with_number_one():
    trajectory = store.trajectory("s")
    trajectory.append(row())
    with trajectory.observing():
        trajectory.save_state({"a": 1})
        trajectory.clear()
    assert (trajectory.state(), trajectory.tail(9), store.all_trajectories()) == ({}, [], [])
    assert trajectory.append(row())["call_index"] == 1


def test_session_that_is_not_named_is_the_one_of_the_agents_environment(monkeypatch):
    assert store.trajectory("").folder.name == "default"
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", "abc")
    assert store.trajectory("").folder.name == "abc"


@pytest.mark.parametrize("plain", ["0b1f2c3d-0000-4000-8000-123456789abc", "session_1", "a" * 64])
def test_plain_id_is_kept_as_it_is(plain):
    assert store.trajectory(plain).folder.name == plain


HOSTILE = ["../../etc", "/etc/passwd", ".", "..", "a/b", "a\\b", "A", "con", "nul", "a.b", "\0", "é", "x" * 65, "~"]


@pytest.mark.parametrize("hostile", HOSTILE)
def test_hostile_id_becomes_a_safe_name(home, hostile):
    trajectory = store.trajectory(hostile, hostile)
    trajectory.append(row())
    assert trajectory.folder.parent == home / "trajectory"
    assert set(trajectory.folder.name) <= set("abcdefghijklmnopqrstuvwxyz0123456789_-~.")


def test_ids_that_look_alike_stay_apart():
    names = [store.trajectory(each).folder.name for each in [*HOSTILE, "a", "b", "etc"]]
    names.append(store.trajectory("a", "b").folder.name)
    assert len({name.lower() for name in names}) == len(names)


@given(st.text(), st.text())
def test_any_ids_name_one_folder_directly_below_the_home(session, agent):
    folder = store.trajectory(session, agent).folder
    assert folder.parent == store.root()
    assert len(folder.name) <= 140
    assert folder.name not in ("", ".", "..")


RECORD = """
import sys
from trajectory.local import store
trajectory = store.trajectory("s")
for n in range(int(sys.argv[2])):
    trajectory.append({"tool_name": sys.argv[1], "outcome": "ok", "n": n})
"""


def start(name: str, count: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", RECORD, name, str(count)])


def test_eight_processes_at_once_lose_no_call_and_give_each_its_own_index():
    writers = [start(f"p{n}", 50) for n in range(8)]
    assert [writer.wait() for writer in writers] == [0] * 8
    lines = (store.trajectory("s").folder / store.CALLS).read_bytes().split(b"\n")[:-1]
    rows = [json.loads(line) for line in lines]
    assert [each["call_index"] for each in rows] == list(range(1, 401))
    for n in range(8):
        assert [each["n"] for each in rows if each["tool_name"] == f"p{n}"] == list(range(50))


def test_killed_writer_leaves_the_lock_free_and_the_numbers_whole():
    writer = start("killed", 1_000_000)
    calls = store.trajectory("s").folder / store.CALLS
    while not (calls.exists() and calls.stat().st_size > 2000):
        time.sleep(0.005)
    writer.send_signal(signal.SIGKILL)
    writer.wait()
    before = store.trajectory("s").tail(10_000)
    assert store.trajectory("s").append(row())["call_index"] == before[-1]["call_index"] + 1
    indexes = [each["call_index"] for each in before]
    assert indexes == list(range(indexes[0], indexes[0] + len(indexes)))
