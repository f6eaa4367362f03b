"""Conditions of includes that need no repository; `test_git_config` compares the others with git."""

from __future__ import annotations

from pathlib import Path

import pytest

from memoryserver.client import git_conditions


@pytest.fixture
def git_folder(tmp_path: Path) -> str:
    folder = tmp_path / "a" / "shop" / ".git"
    folder.mkdir(parents=True)
    (folder / "HEAD").write_text("ref: refs/heads/feature/x\n")
    return str(folder)


def holds(condition: str, git_folder: str, file: str = "/etc/gitconfig") -> bool:
    return git_conditions.holds(condition, file, git_folder, lambda: ["https://github.com/acme/shop"])


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("gitdir:a/**/.git", True),
        ("gitdir:a*", False),
        ("gitdir:[b-z]/shop/.git", False),
        ("gitdir:[!b-z]/shop/.git", True),
        ("gitdir:[z-a]/shop/.git", False),
        ("gitdir:a/sh\\op/", True),
        ("onbranch:feature/", True),
        ("onbranch:feature/**", True),
        ("onbranch:*", False),
        ("hasconfig:remote.*.url:https://*/**", True),
        ("hasconfig:branch.*.merge:x", False),
        ("", False),
    ],
)
def test_condition_holds_as_in_git(condition: str, expected: bool, git_folder: str) -> None:
    assert holds(condition, git_folder) is expected


def test_folder_of_the_file_is_meant_literally(tmp_path: Path) -> None:
    odd = tmp_path / "odd[x]*"
    (odd / "shop" / ".git").mkdir(parents=True)
    assert holds("gitdir:./shop/", str(odd / "shop" / ".git"), str(odd / "config")) is True


def test_no_branch_is_checked_out_where_head_names_a_commit(git_folder: str) -> None:
    Path(git_folder, "HEAD").write_text("0" * 40)
    assert holds("onbranch:**", git_folder) is True
    assert holds("onbranch:?*", git_folder) is False
