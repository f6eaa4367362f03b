"""Folders of transcripts are walked, with linked ones, and what is not entered is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from capture.local.transcripts import discovery
from capture.local.transcripts.walk import walk


class Skips(dict[str, str]):
    """The reason by the name of each path that was skipped."""

    def add(self, path: Path, reason: str) -> None:
        self[path.name] = reason


def touch(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"{}\n")
    return path


def files_below(root: Path, skips: Skips) -> list[str]:
    paths = (Path(folder, name) for folder, _, names in walk(root, skips.add) for name in names)
    return sorted(path.relative_to(root).as_posix() for path in paths)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    touch(tmp_path / "projects/-shop/s1.jsonl")
    return tmp_path / "projects"


@pytest.fixture
def skips() -> Skips:
    return Skips()


def test_linked_folder_is_walked(root: Path, skips: Skips) -> None:
    touch(root.parent / "elsewhere/2026/s2.jsonl")
    (root / "-linked").symlink_to(root.parent / "elsewhere")
    assert files_below(root, skips) == ["-linked/2026/s2.jsonl", "-shop/s1.jsonl"]
    assert skips == {}


def test_link_inside_a_linked_folder_is_named_and_not_followed(root: Path, skips: Skips) -> None:
    touch(root.parent / "elsewhere/s2.jsonl")
    touch(root.parent / "third/s3.jsonl")
    (root.parent / "elsewhere/deeper").symlink_to(root.parent / "third")
    (root / "-linked").symlink_to(root.parent / "elsewhere")
    assert files_below(root, skips) == ["-linked/s2.jsonl", "-shop/s1.jsonl"]
    assert skips == {"deeper": "is a link inside a linked folder, which is not followed"}


def test_link_to_a_folder_that_is_walked_anyway_adds_nothing(root: Path, skips: Skips) -> None:
    (root / "-again").symlink_to(root / "-shop")
    assert files_below(root, skips) == ["-shop/s1.jsonl"]
    assert skips == {}


@pytest.mark.parametrize("target", ["projects", "."])
def test_link_to_a_folder_above_it_does_not_lead_out(root: Path, skips: Skips, target: str) -> None:
    touch(root.parent / "private.jsonl")
    (root / "-shop/up").symlink_to(root.parent / target)
    assert files_below(root, skips) == ["-shop/s1.jsonl"]
    assert skips == ({} if target == "projects" else {"up": "links to a folder that it lies in"})


def test_folder_that_the_caller_removes_is_not_entered(root: Path, skips: Skips) -> None:
    touch(root.parent / "elsewhere/s2.jsonl")
    (root / "memory").symlink_to(root.parent / "elsewhere")
    names = []
    for _, folders, found in walk(root, skips.add):
        folders[:] = [name for name in folders if name != "memory"]
        names += found
    assert (names, skips) == (["s1.jsonl"], {})


def test_root_that_is_a_file_is_named(root: Path, skips: Skips) -> None:
    assert files_below(root / "-shop/s1.jsonl", skips) == []
    assert skips == {"s1.jsonl": "cannot be listed (Not a directory)"}


@pytest.mark.parametrize("layout", ["claude-code", "codex", "gemini"])
def test_transcripts_of_every_agent_are_found_behind_a_link_once(tmp_path: Path, layout: str) -> None:
    names = {"claude-code": "s.jsonl", "codex": "rollout-a.jsonl", "gemini": "chats/session-a.jsonl"}
    file = touch(tmp_path / "elsewhere" / names[layout])
    root = tmp_path / "root"
    root.mkdir()
    (root / "one").symlink_to(file.parents[names[layout].count("/")])
    (root / "two").symlink_to(file.parents[names[layout].count("/")])
    assert [(one.reader.agent_kind, one.path.resolve()) for one in discovery.find([root])] == [(layout, file)]
