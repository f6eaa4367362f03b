"""Where learnings come from, as a queue file states it."""

from __future__ import annotations

from pathlib import Path

import pytest

from capture.local.scanning.provenance import metadata, project_of
from capture.local.transcripts.agents.claude_code import ClaudeCodeReader
from capture.local.transcripts.discovery import Transcript
from capture.local.transcripts.messages import Kind, Message, Role, ToolUse

TOKEN = "ghp_" + "a1B2c3D4e5F6" * 3


def transcript(path: Path) -> Transcript:
    reader = ClaudeCodeReader()
    return Transcript(path, reader, reader.transcript_id(path))


def message(**fields: str) -> Message:
    return Message(1, Role.PERSON, Kind.WORDS, **fields)  # type: ignore[arg-type]


def test_metadata_are_of_the_first_folder_and_session_and_the_last_branch(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    messages = [message(), message(cwd="/gone/shop", session="s1", branch="a"), message(session="s2", branch="b")]
    assert metadata(transcript(path), messages, {"jwt": 2}) == {
        "agent": "main",
        "agent_kind": "claude-code",
        "session_id": "s1",
        "project": "shop",
        "cwd": "/gone/shop",
        "branch": "b",
        "transcript": str(path),
        "tools_used": [],
        "redacted": {"jwt": 2},
    }


def test_session_without_an_id_is_named_by_its_file(tmp_path: Path) -> None:
    data = metadata(transcript(tmp_path / "session.jsonl"), [], {})
    assert (data["session_id"], data["project"], data["cwd"], data["branch"]) == ("session", "", "", "")


def test_tools_are_named_once_in_their_order_and_at_most_fifty(tmp_path: Path) -> None:
    names = ["Read", "Bash", "", "Read", *[f"tool {n}" for n in range(60)]]
    used = Message(1, Role.AGENT, Kind.TOOL_USE, uses=tuple(ToolUse("1", name) for name in names))
    tools = metadata(transcript(tmp_path / "s.jsonl"), [used], {})["tools_used"]
    assert tools == ["Read", "Bash", *[f"tool {n}" for n in range(48)]]


def test_secret_in_a_branch_or_folder_is_cut_out(tmp_path: Path) -> None:
    data = metadata(transcript(tmp_path / "s.jsonl"), [message(cwd=f"/gone/{TOKEN}", branch=TOKEN)], {})
    assert TOKEN not in str(data)
    assert data["branch"] == "[redacted:github-token]"


@pytest.mark.parametrize(
    ("cwd", "key"), [("", ""), ("/gone/shop/", "shop"), ("C:\\work\\shop", "shop"), ("shop", "shop")]
)
def test_project_of_a_folder_that_is_gone_is_its_name(cwd: str, key: str) -> None:
    assert project_of(cwd) == key


def test_project_of_a_folder_that_is_gone_is_the_repository_around_it(tmp_path: Path) -> None:
    (tmp_path / "shop" / ".git").mkdir(parents=True)
    assert project_of(str(tmp_path / "shop" / "gone" / "deep")) == project_of(str(tmp_path / "shop")) == "shop"


def test_environment_does_not_name_the_project_of_a_transcript(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORYSERVER_PROJECT", "other")
    (tmp_path / "shop").mkdir()
    assert project_of(str(tmp_path / "shop")) == "shop"
