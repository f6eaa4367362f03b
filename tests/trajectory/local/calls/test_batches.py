"""Calls of one message, found in the agent's transcript."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from trajectory.local.calls.batches import batch_of


def message(name: str, *uses: str) -> dict[str, object]:
    content = [{"type": "text", "text": "Now."}, *({"type": "tool_use", "id": use} for use in uses)]
    return {"type": "assistant", "message": {"id": name, "content": content}}


def result(use: str) -> dict[str, object]:
    return {"type": "user", "message": {"content": [{"type": "tool_result", "tool_use_id": use}]}}


def transcript(folder: Path, *lines: object, name: str = "s.jsonl") -> str:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return str(path)


def test_calls_of_one_message_share_its_id_though_results_stand_between(tmp_path):
    path = transcript(tmp_path, message("m1", "a"), result("a"), message("m1", "b"), message("m2", "c"), result("c"))
    assert [batch_of(path, use) for use in "abc"] == ["m1", "m1", "m2"]


def test_call_that_is_only_mentioned_has_no_batch(tmp_path):
    assert batch_of(transcript(tmp_path, result("a"), {"type": "progress", "id": "a"}), "a") == ""


def test_message_older_than_the_last_256_kib_is_not_looked_for(tmp_path):
    path = transcript(tmp_path, message("m1", "a"), {"pad": "x" * 300_000}, message("m2", "b"))
    assert [batch_of(path, use) for use in "ab"] == ["", "m2"]


def test_sub_agent_is_looked_up_in_its_own_transcript(tmp_path):
    path = transcript(tmp_path, message("m1", "a"))
    transcript(tmp_path, message("m2", "a"), name="s/subagents/agent-x.jsonl")
    assert [batch_of(path, "a", agent_id=agent) for agent in ("", "x", "y")] == ["m1", "m2", ""]


@pytest.mark.parametrize(
    "line", ["null", "3", '{"message": 3}', '{"message": {"id": "m", "content": "a"}}', '{"message": {"content": [1]}}']
)
def test_line_of_another_shape_is_passed_over(tmp_path, line):
    (tmp_path / "t").write_text(f'{line} "a"\n{line}\n"a"\n')
    assert batch_of(str(tmp_path / "t"), "a") == ""


def test_transcript_that_is_none_is_no_answer(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "gone", tmp_path, tmp_path / "pipe", "a\0b", "", "\ud83d"):
        assert batch_of(str(path), "a") == ""
