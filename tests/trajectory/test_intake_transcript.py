"""A call that names a file: the server opens none for a client."""

from __future__ import annotations

import json
from pathlib import Path

from memoryserver.accounts.models import User
from tests.memoryserver.hooks.events import failed
from trajectory import intake
from trajectory.models import ToolCall


def test_transcript_that_a_call_names_is_not_opened(alice: User, tmp_path: Path) -> None:
    transcript = tmp_path / "transcript.jsonl"
    message = {"message": {"id": "m1", "content": [{"type": "tool_use", "id": "toolu_0001"}]}}
    transcript.write_text(json.dumps(message) + "\n")
    call = failed(1, "Bash", {"command": "false"}, "Exit code 1") | {"transcript_path": str(transcript), "id": "1"}

    received = intake.receive(alice, None, "session", "", [call])

    assert [receipt.status for receipt in received.results] == ["stored"]
    assert ToolCall.objects.get().body["batch_id"] == ""
