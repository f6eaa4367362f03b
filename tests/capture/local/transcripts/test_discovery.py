"""Transcripts are found in every layout, and each has a stable context id."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capture.local.transcripts import agents, discovery


def touch(root: Path, *names: str) -> None:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"{}\n")


def paths_by_context_id(*roots: Path) -> dict[str, str]:
    transcripts = discovery.find(list(roots))
    return {transcript.context_id: transcript.path.relative_to(roots[0]).as_posix() for transcript in transcripts}


def test_main_sessions_and_sub_agents_of_every_layout_have_their_own_context_ids(tmp_path: Path):
    touch(
        tmp_path,
        "-slug/5f0c.jsonl",
        "-slug/5f0c/subagents/agent-a1.jsonl",
        "-slug/5f0c/subagents/workflows/run1/agent-a2.jsonl",
        "-slug/agent-0123abcd.jsonl",
        "-slug/5f0c/subagents/workflows/run1/journal.jsonl",
        "-slug/5f0c/tool-results/x.jsonl",
        "-slug/memory/notes.jsonl",
        "-slug/5f0c/subagents/agent-a1.meta.json",
        "history.jsonl",
    )
    assert paths_by_context_id(tmp_path) == {
        "claude-code-5f0c": "-slug/5f0c.jsonl",
        "claude-code-5f0c-agent-a1": "-slug/5f0c/subagents/agent-a1.jsonl",
        "claude-code-5f0c-agent-a2": "-slug/5f0c/subagents/workflows/run1/agent-a2.jsonl",
        "claude-code-agent-0123abcd": "-slug/agent-0123abcd.jsonl",
    }


def test_two_files_of_one_name_have_two_context_ids_and_the_recorded_one_keeps_its_own(tmp_path: Path):
    touch(tmp_path, "a/s.jsonl", "b/s.jsonl")
    recorded = str(tmp_path / "b/s.jsonl")
    transcripts = discovery.find([tmp_path], recorded=lambda _: recorded)
    context_ids = {transcript.path.parent.name: transcript.context_id for transcript in transcripts}
    assert context_ids["b"] == "claude-code-s"
    assert context_ids["a"].startswith("claude-code-s-")
    assert paths_by_context_id(tmp_path)["claude-code-s"] == "a/s.jsonl"


def test_a_folder_named_twice_or_by_a_link_is_read_once(tmp_path: Path):
    touch(tmp_path, "a/s.jsonl")
    (tmp_path / "link").symlink_to(tmp_path / "a")
    assert len(discovery.find([tmp_path, tmp_path / "a", tmp_path / "link"])) == 1


def test_default_roots_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    for folder in ("one/projects", "two/projects", "home/.claude/projects", "home/.config/claude/projects"):
        touch(tmp_path, f"{folder}/-slug/{folder.replace('/', '.')}.jsonl")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", f"{tmp_path}/one, {tmp_path}/two/projects,{tmp_path}/missing")
    assert [transcript.path.stem for transcript in discovery.find()] == [
        "one.projects",
        "two.projects",
        "home..claude.projects",
        "home..config.claude.projects",
    ]


@pytest.mark.parametrize(
    "folder",
    [
        "Library/Application Support/Claude/local-agent-mode-sessions/org/user/local_1/.claude/projects",
        ".config/Claude/local-agent-mode-sessions/local_2/.claude/projects",
        "Roaming/Claude/local-agent-mode-sessions/org/local_3/.claude/projects",
        "Local/Packages/Claude_x1/LocalCache/Roaming/Claude/local-agent-mode-sessions/o/u/local_4/.claude/projects",
    ],
)
def test_sessions_of_the_desktop_program_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: str):
    touch(tmp_path, f"{folder}/-slug/s.jsonl", f"{folder}/../../audit.jsonl")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("APPDATA", str(tmp_path / "Roaming"))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "Local"))
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    assert [transcript.path for transcript in discovery.find()] == [tmp_path / folder / "-slug" / "s.jsonl"]


def test_further_roots_are_read_by_every_reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    touch(tmp_path, "home/.claude/projects/-slug/a.jsonl", "x/b.jsonl", "y/rollout-c.jsonl", "y/chats/session-d.json")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv(discovery.ROOTS_VARIABLE, os.pathsep.join([f"{tmp_path}/x", "", f"{tmp_path}/y"]))
    assert {transcript.context_id for transcript in discovery.find()} == {
        "claude-code-a",
        "claude-code-b",
        "codex-c",
        "gemini-session-d",
    }
    assert [transcript.path.name for transcript in discovery.find([tmp_path / "x"])] == ["b.jsonl"]


def test_a_reader_is_added_by_one_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "zebra.py").write_text(
        "from capture.local.transcripts.agents.plain import PlainReader\n"
        "class ZebraReader(PlainReader):\n"
        "    agent_kind = 'zebra'\n"
        "READER = ZebraReader()\n"
    )
    monkeypatch.setattr(agents, "__path__", [*agents.__path__, str(tmp_path)])
    kinds = [reader.agent_kind for reader in discovery._readers()]
    assert kinds == ["codex", "gemini", "plain", "zebra", "claude-code"]


@given(st.text(min_size=1), st.text(min_size=1))
def test_any_text_has_a_safe_id_and_two_texts_have_two(first: str, second: str):
    names = [discovery.safe_id(f"agent-{text}") for text in (first, second)]
    assert all(name.replace("-", "").replace("_", "").replace(".", "").isalnum() and len(name) < 200 for name in names)
    assert all(name.isascii() for name in names)
    assert (names[0] == names[1]) == (first == second)
