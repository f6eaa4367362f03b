"""Where learnings come from, as a queue file states it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from capture.local.scanning import gone_folders
from capture.local.scanning.provenance import Projects, metadata, project_of
from capture.local.scanning.state import CaptureState
from capture.local.transcripts.agents.claude_code import ClaudeCodeReader
from capture.local.transcripts.discovery import Transcript
from capture.local.transcripts.messages import Kind, Message, Role, ToolUse
from memoryserver.client import places
from tests.support.laptops.repositories import git, repository, worktree

TOKEN = "ghp_" + "a1B2c3D4e5F6" * 3


def transcript(path: Path) -> Transcript:
    reader = ClaudeCodeReader()
    return Transcript(path, reader, reader.transcript_id(path))


def message(**fields: str) -> Message:
    return Message(1, Role.PERSON, Kind.WORDS, **fields)  # type: ignore[arg-type]


def test_metadata_are_of_the_first_folder_and_session_and_the_last_branch(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    messages = [message(), message(cwd="/gone/shop", session="s1", branch="a"), message(session="s2", branch="b")]
    assert metadata(transcript(path), messages, {"jwt": 2}, "shop") == {
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
    data = metadata(transcript(tmp_path / "session.jsonl"), [], {}, "")
    assert (data["session_id"], data["project"], data["cwd"], data["branch"]) == ("session", "", "", "")


def test_tools_are_named_once_in_their_order_and_at_most_fifty(tmp_path: Path) -> None:
    names = ["Read", "Bash", "", "Read", *[f"tool {n}" for n in range(60)]]
    used = Message(1, Role.AGENT, Kind.TOOL_USE, uses=tuple(ToolUse("1", name) for name in names))
    tools = metadata(transcript(tmp_path / "s.jsonl"), [used], {}, "")["tools_used"]
    assert tools == ["Read", "Bash", *[f"tool {n}" for n in range(48)]]


def test_secret_in_a_branch_or_folder_is_cut_out(tmp_path: Path) -> None:
    data = metadata(transcript(tmp_path / "s.jsonl"), [message(cwd=f"/gone/{TOKEN}", branch=TOKEN)], {}, "")
    assert TOKEN not in str(data)
    assert data["branch"] == "[redacted:github-token]"


class Session:
    """The transcripts of one session of Claude Code, whose messages are captured in stretches."""

    def __init__(self, root: Path, slug: str = "-x") -> None:
        self.folder = root / "claude" / "projects" / slug
        self.folder.mkdir(parents=True, exist_ok=True)
        self.states: dict[str, CaptureState] = {}

    def write(self, name: str, *folders: Path | str, session: str = "s1", branch: str = "") -> None:
        """Write the transcript `name` with one message in each of `folders`."""
        path = self.folder / f"{name}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = [
            {"type": "user", "uuid": f"{name}{n}", "sessionId": session, "cwd": str(cwd), "gitBranch": branch}
            | {"message": {"role": "user", "content": f"Do {n}"}}
            for n, cwd in enumerate(folders)
        ]
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))

    def project(self, name: str = "s1", *folders: Path | str, branch: str = "", session: str = "s1") -> str:
        """Return the project of the next messages of the transcript `name`, which are in `folders`."""
        state = self.states.setdefault(name, CaptureState(name))
        messages = [message(cwd=str(folder), session=session, branch=branch) for folder in folders]
        return Projects().locate(transcript(self.folder / f"{name}.jsonl"), state, messages)


@pytest.fixture
def session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Session:
    monkeypatch.setenv("MEMORYSERVER_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HOME", str(tmp_path))
    return Session(tmp_path)


def test_session_stays_in_the_project_in_which_it_began(session: Session, tmp_path: Path) -> None:
    shop, other = repository(tmp_path / "shop"), repository(tmp_path / "other")
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    assert session.project("s1", shop, other) == "shop"
    assert session.project("s1", other, other) == "shop"
    assert session.project("s1", scratch) == "shop"
    shutil.rmtree(shop)
    assert session.project("s1", other) == "shop"
    assert session.project("s2", other) == "other"


def test_session_that_began_in_a_sub_folder_or_worktree_is_of_the_repository(session: Session, tmp_path: Path) -> None:
    shop = repository(tmp_path / "shop", "git@github.com:Acme/Shop.git")
    folder = worktree(shop, tmp_path / "zurich-v1")
    (shop / "packages").mkdir()
    keys = [session.project(f"s{n}", start) for n, start in enumerate((shop, shop / "packages", folder))]
    assert keys == ["github.com/acme/shop"] * 3


def test_session_without_version_control_is_of_no_project(session: Session, tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        assert session.project(name, tmp_path / name) == places.NO_PROJECT


def test_state_of_an_earlier_version_learns_where_the_session_began(session: Session, tmp_path: Path) -> None:
    shop, other = repository(tmp_path / "shop"), repository(tmp_path / "other")
    session.write("s1", shop, other)
    session.states["s1"] = CaptureState("s1", last_message_index=2)
    assert session.project("s1", other) == "shop"


@pytest.mark.parametrize("name", ["s1/subagents/agent-1", "s1/subagents/workflows/w/agent-1", "agent-1"])
def test_sub_agent_is_of_the_session_that_started_it(name: str, session: Session, tmp_path: Path) -> None:
    shop, other = repository(tmp_path / "shop"), repository(tmp_path / "other")
    session.write("s1", shop)
    session.write(name, other)
    assert session.project(name, other) == "shop"


def test_removed_worktree_is_of_the_repository_that_was_seen_around_it(session: Session, tmp_path: Path) -> None:
    shop = repository(tmp_path / "a" / "shop", "git@github.com:acme/shop.git")
    folder = worktree(shop, tmp_path / "b" / "anything")
    assert session.project("s0", shop) == "github.com/acme/shop"
    git(shop, "worktree", "remove", str(folder))
    assert session.project("s1", folder / "src") == "github.com/acme/shop"


def test_removed_folder_is_of_the_project_where_the_session_went_on(session: Session, tmp_path: Path) -> None:
    shop = repository(tmp_path / "a" / "shop")
    assert session.project("s1", tmp_path / "b" / "gone", shop) == "shop"


def test_removed_folder_is_of_the_project_of_the_sessions_other_transcripts(session: Session, tmp_path: Path) -> None:
    shop = repository(tmp_path / "a" / "shop")
    session.write("s1/subagents/agent-1", shop)
    session.write("s2/subagents/agent-2", repository(tmp_path / "other"))
    assert session.project("s1", tmp_path / "b" / "gone") == "shop"


def test_removed_folder_is_of_the_repository_that_the_transcripts_folder_names(
    tmp_path: Path, session: Session
) -> None:
    shop = repository(tmp_path / "a.b" / "my shop")
    named = Session(tmp_path, gone_folders.slug_of(str(shop)))
    assert named.project("s1", tmp_path / "b" / "gone") == "my shop"


def test_project_that_was_only_guessed_is_asked_again(session: Session, tmp_path: Path) -> None:
    assert session.project("s1", tmp_path / "work" / "thing") == ("" if str(tmp_path).startswith("/tmp") else "thing")
    assert session.states["s1"].project == ""
    repository(tmp_path / "work" / "thing", "git@github.com:acme/thing.git")
    assert session.project("s1") == "github.com/acme/thing"


@pytest.mark.parametrize(
    ("seconds", "branch", "folder", "is_found"),
    [
        (59, "", "gone", False),
        (60, "", "gone", True),
        (-1, "", "gone", True),
        (1, "b", "gone", True),
        (1, "", "x", True),
    ],
    ids=["at once", "after a minute", "clock set back", "another branch", "another folder"],
)
def test_project_of_a_removed_folder_is_looked_for_again_after_a_minute_or_when_more_is_known(
    seconds: int,
    branch: str,
    folder: str,
    is_found: bool,
    session: Session,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = 1_000_000.0
    monkeypatch.setattr("capture.local.scanning.provenance.time.time", lambda: now)
    gone, work = tmp_path / "w" / "shop-1", tmp_path / "w"
    work.mkdir()
    session.project("s1", gone)
    assert session.states["s1"].project == ""
    git(repository(work / "shop"), "worktree", "add", "-q", str(work / "other"))  # its name, and a worktree, would tell

    now += seconds
    session.project("s1", gone if folder == "gone" else tmp_path / folder, branch=branch)
    assert session.states["s1"].project == ("shop" if is_found else "")


@pytest.mark.parametrize(
    "cwd",
    ["", "relative", "C:\\work\\shop", "/nowhere/shop", "/x\0y"],
    ids=["none", "relative", "windows", "gone", "nul"],
)
def test_project_of_another_machines_folder_is_unknown(cwd: str, session: Session) -> None:
    assert project_of(cwd) == ""


def test_project_of_a_folder_that_is_gone_is_the_repository_around_it(session: Session, tmp_path: Path) -> None:
    repository(tmp_path / "shop")
    assert project_of(str(tmp_path / "shop" / "gone" / "deep")) == project_of(str(tmp_path / "shop")) == "shop"


def test_environment_does_not_name_the_project_of_a_transcript(
    tmp_path: Path, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMORYSERVER_PROJECT", "other")
    assert project_of(str(repository(tmp_path / "shop"))) == "shop"
