"""Calls of one message, found in the agent's transcript."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from trajectory.local.calls.batches import batch_of, refused_before


def message(name: str, *uses: str) -> dict[str, object]:
    content = [{"type": "text", "text": "Now."}, *({"type": "tool_use", "id": use} for use in uses)]
    return {"type": "assistant", "message": {"id": name, "content": content}}


def result(use: str) -> dict[str, object]:
    return {"type": "user", "message": {"content": [{"type": "tool_result", "tool_use_id": use}]}}


def refusal(use: str, text: str = "File has not been read yet.") -> dict[str, object]:
    content = f"<tool_use_error>{text}</tool_use_error>"
    block = {"type": "tool_result", "tool_use_id": use, "content": content, "is_error": True}
    return {"type": "user", "message": {"content": [block]}}


def call(name: str, use: str) -> dict[str, object]:
    block = {"type": "tool_use", "id": use, "name": "Write", "input": {"file_path": f"{use}.py"}}
    return {"type": "assistant", "message": {"id": name, "content": [block]}}


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


def test_refused_calls_since_the_last_other_result_are_found_oldest_first(tmp_path):
    earlier = [call("m1", "a"), refusal("a"), call("m2", "b"), result("b")]
    latest = [call("m3", "c"), refusal("c"), call("m4", "d"), refusal("d", "No such tool"), call("m5", "e")]
    assert refused_before(transcript(tmp_path, *earlier, *latest), "e") == [
        {
            "tool_name": "Write",
            "tool_input": {"file_path": f"{use}.py"},
            "tool_use_id": use,
            "batch_id": batch,
            "success": False,
            "error": f"<tool_use_error>{error}</tool_use_error>",
        }
        for use, batch, error in [("c", "m3", "File has not been read yet."), ("d", "m4", "No such tool")]
    ]


def test_result_of_the_call_itself_does_not_hide_the_refusals_before_it(tmp_path):
    path = transcript(tmp_path, call("m1", "a"), refusal("a"), call("m2", "b"), result("b"))
    assert [report["tool_use_id"] for report in refused_before(path, "b")] == ["a"]


def test_refusals_before_the_words_of_a_person_are_left_out(tmp_path):
    words = {"type": "user", "message": {"content": "Try again."}}
    assert refused_before(transcript(tmp_path, call("m1", "a"), refusal("a"), words, call("m2", "b")), "b") == []


def test_refusal_of_a_call_that_is_not_in_the_transcript_is_left_out(tmp_path):
    assert refused_before(transcript(tmp_path, refusal("a"), call("m2", "b")), "b") == []


@pytest.mark.parametrize(
    "line", ["null", '{"type": "user"}', '{"type": "user", "message": {"content": [1]}}', '"user"']
)
def test_damaged_line_between_refusals_is_passed_over(tmp_path, line):
    lines = [json.dumps(call("m1", "a")), json.dumps(refusal("a")), line, json.dumps(call("m2", "b"))]
    (tmp_path / "t").write_text("\n".join(lines))
    assert [report["tool_use_id"] for report in refused_before(str(tmp_path / "t"), "b")] == ["a"]


def test_transcript_that_is_none_has_no_refusals(tmp_path):
    for path in (tmp_path / "gone", tmp_path, "", "a\0b"):
        assert refused_before(str(path), "a") == []
