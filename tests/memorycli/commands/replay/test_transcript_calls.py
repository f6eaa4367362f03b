"""The tool calls of a transcript, in the form that trajectories record."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from memorycli.commands.replay import transcript_calls
from trajectory.local.calls.row import row_of

REJECTION = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the "
    "new_string was NOT written to the file). To tell you how to proceed, the user said:\nuse make"
)


def transcript(path: Path, *results: tuple[str, dict[str, Any], str, bool]) -> Path:
    rows: list[dict[str, Any]] = [{"type": "user", "message": {"role": "user", "content": "Go on."}}]
    for n, (tool, arguments, result, failed) in enumerate(results):
        use = {"type": "tool_use", "id": f"t{n}", "name": tool, "input": arguments}
        answer = {"type": "tool_result", "tool_use_id": f"t{n}", "content": result, "is_error": failed}
        rows += [
            {"type": "assistant", "uuid": f"a{n}", "message": {"role": "assistant", "id": f"m{n}", "content": [use]}},
            {"type": "user", "uuid": f"r{n}", "message": {"role": "user", "content": [answer]}},
        ]
    common = {"sessionId": "s", "cwd": "/work", "timestamp": "2026-01-15T14:32:00Z"}
    path.write_text("".join(json.dumps(row | common) + "\n" for row in rows))
    return path


@pytest.mark.parametrize(
    ("command", "result", "failed", "outcome", "message"),
    [
        ("make", "built", False, "ok", None),
        ("make", "Exit code 2\nNo rule", True, "error", "Exit code 2\nNo rule"),
        ("grep a b", "Exit code 1", True, "no-match", None),
        ("make", REJECTION, True, "rejection", "use make"),
        ("make", "[Request interrupted by user for tool use]", True, "cancelled", ...),
        ("make", "Permission to use Bash has been denied by permission rules", True, "denial", ...),
        ("make", "API Error: 529 overloaded_error", True, "provider", ...),
        ("make", "<tool_use_error>No such tool: x</tool_use_error>", True, "error", "No such tool: x"),
        ("make", "<tool_use_error>Sibling tool call errored</tool_use_error>", True, "cancelled", ...),
    ],
)
def test_outcome_of_each_call_is_that_of_the_transcript(
    tmp_path: Path, command: str, result: str, failed: bool, outcome: str, message: object
) -> None:
    (call,) = transcript_calls.calls_of(
        transcript(tmp_path / "s.jsonl", ("Bash", {"command": command}, result, failed))
    )
    row = row_of(call)
    assert row["outcome"] == outcome
    assert message in (row["error_message"], ...)


def test_error_of_a_remote_service_is_the_providers(tmp_path: Path) -> None:
    path = transcript(tmp_path / "s.jsonl", ("mcp__x__y", {"q": 1}, "503 Service Unavailable", True))
    (call,) = transcript_calls.calls_of(path)
    assert row_of(call)["outcome"] == "provider"


def test_calls_have_input_ids_batch_turn_time_and_folder(tmp_path: Path) -> None:
    edit = ("Edit", {"file_path": "/work/a.py", "old_string": "a", "new_string": "b"}, "done", False)
    first, second = transcript_calls.calls_of(transcript(tmp_path / "s.jsonl", edit, edit))
    assert first["tool_input"] == edit[1]
    assert (first["tool_use_id"], second["tool_use_id"]) == ("t0", "t1")
    assert (first["batch_id"], second["batch_id"]) == ("answer 1", "answer 2")
    assert first["turn_id"] == second["turn_id"] == "turn 1"
    assert (first["timestamp"], first["cwd"]) == ("2026-01-15T14:32:00Z", "/work")


def test_calls_after_a_compaction_are_marked(tmp_path: Path) -> None:
    path = transcript(tmp_path / "s.jsonl", *[("Read", {"file_path": "a"}, "x", False)] * 2)
    lines = path.read_text().splitlines()
    lines.insert(3, json.dumps({"type": "system", "subtype": "compact_boundary", "uuid": "b", "sessionId": "s"}))
    path.write_text("".join(f"{line}\n" for line in lines))
    assert [call["compactions"] for call in transcript_calls.calls_of(path)] == [0, 1]


def test_file_without_calls_has_none(tmp_path: Path) -> None:
    assert transcript_calls.calls_of(transcript(tmp_path / "s.jsonl")) == []


def test_calls_of_sub_agents_have_their_ids_and_batches_of_their_own(tmp_path: Path) -> None:
    path = transcript(tmp_path / "s.jsonl", *[("Bash", {"command": "ls"}, "a", False)] * 3)
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    rows[1], rows[3] = rows[3], rows[1]  # the second call is made before the first
    rows[2], rows[3], rows[4] = rows[3], rows[4], rows[2]  # and both before a result comes
    agents = {"t0": {"isSidechain": True, "agentId": "a1"}, "t1": {"isSidechain": True, "agentId": "a2"}}
    for row in rows[1:]:
        (block,) = row["message"]["content"]
        row.update(agents.get(block.get("id") or block["tool_use_id"], {}))
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = {call["tool_use_id"]: (call["agent_id"], call["batch_id"]) for call in transcript_calls.calls_of(path)}
    assert found == {"t0": ("a1", "answer 2"), "t1": ("a2", "answer 1"), "t2": ("", "answer 3")}
