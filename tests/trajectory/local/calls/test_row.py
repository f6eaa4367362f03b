"""The row of a call: its fields, its outcome, and the limits of what it shows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from memoryserver.common.redaction import redact_value
from trajectory.local.calls import record, row


def row_of(root: str = "/shop", **fields: Any) -> dict[str, Any]:
    return row.row_of({"tool_name": "Bash", "tool_input": {"command": "make"}, **fields}, root=root)


def test_success_has_no_error() -> None:
    made = row_of(result="built")

    assert (made["success"], made["outcome"], made["error_message"], made["error_key"]) == (True, "ok", None, "")
    assert (made["kind"], made["params_summary"], made["result_head"]) == ("command", "command=make", "built")


def test_failure_has_its_message_and_a_key_for_comparison() -> None:
    failed = row_of(error="Exit code 2\nNo rule")

    assert (failed["success"], failed["outcome"]) == (False, "error")
    assert "No rule" in failed["error_message"]
    assert failed["error_key"]


def test_failure_without_a_text_has_a_message_nevertheless() -> None:
    assert row_of(success=False)["error_message"] == "failed without a message"


def test_cancelled_call_has_no_key_of_an_error() -> None:
    cancelled = row_of(success=False, outcome="cancelled", error="stopped")

    assert (cancelled["success"], cancelled["outcome"], cancelled["error_key"]) == (False, "cancelled", "")


def test_paths_in_the_root_are_relative_and_others_absolute() -> None:
    for path, shown in (("/shop/src/a.py", "src/a.py"), ("/etc/hosts", "/etc/hosts")):
        assert row_of(tool_name="Read", tool_input={"file_path": path})["paths"] == [shown]


def test_name_of_a_tool_is_one_line_of_100_characters_at_most() -> None:
    name = row_of(tool_name="a\nb" + "x" * 200)["tool_name"]

    assert "\n" not in name
    assert len(name) <= 100


def test_same_arguments_and_results_have_the_same_hashes() -> None:
    first, same, other = row_of(result="x"), row_of(result="x"), row_of(result="y")

    assert (first["args_hash"], first["result_hash"]) == (same["args_hash"], same["result_hash"])
    assert first["result_hash"] != other["result_hash"]
    assert first["args_hash"] != row_of(tool_input={"command": "make x"})["args_hash"]


def test_batch_is_the_reported_one_or_that_of_the_transcript(tmp_path: Path) -> None:
    transcript = tmp_path / "s.jsonl"
    message = {"message": {"id": "m1", "content": [{"type": "tool_use", "id": "u1"}]}}
    transcript.write_text(json.dumps(message) + "\n")
    known = {"transcript_path": str(transcript), "tool_use_id": "u1"}

    assert row_of(**known)["batch_id"] == "m1"
    assert row_of(**known, batch_id="b1")["batch_id"] == "b1"
    assert row_of()["batch_id"] == ""


def test_redaction_on_the_way_to_the_server_leaves_each_field_by_which_calls_are_compared() -> None:
    edit = {"file_path": "/shop/a.py", "old_string": "a", "new_string": "b"}
    rows = [
        row_of(result="built"),
        row_of(error="Exit code 2\nNo rule to make target"),
        row_of(tool_input={"command": "pytest"}, error="Exit code 1\nFAILED a.py::test_b\n1 failed in 0.1s"),
        row_of(tool_name="Edit", tool_input=edit, result="updated"),
    ]
    assert [redact_value(made) for made in rows] == rows


def test_result_that_an_older_client_redacted_is_known_by_its_hash() -> None:
    made = record.from_row(row_of(result="x") | {"result_key": "[redacted:api-key]"})
    assert made.result_key == made.result_hash != ""
