from __future__ import annotations

from pathlib import Path

import pytest

from memoryserver.client import home_folder, places


def repository(root: Path, url: str | None) -> Path:
    (root / ".git").mkdir(parents=True)
    remote = f'[remote "origin"]\n\turl = {url}\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n' if url else ""
    (root / ".git" / "config").write_text(f'[core]\n\tbare = false\n{remote}[branch "main"]\n\tremote = origin\n')
    return root


@pytest.mark.parametrize(
    "url",
    [
        "https://github.com/acme/shop.git",
        "https://github.com/acme/shop",
        "https://user:secret@github.com/acme/shop.git/",
        "https://GitHub.com:443/acme/shop.git",
        "git@github.com:acme/shop.git",
        "ssh://git@github.com:22/acme/shop.git",
        "git://github.com/acme/shop",
    ],
)
def test_every_spelling_of_a_remote_is_one_key(url: str, tmp_path: Path) -> None:
    assert places.project_key(repository(tmp_path, url)) == "github.com/acme/shop"


def test_key_never_holds_a_password(tmp_path: Path) -> None:
    assert "secret" not in places.project_key(repository(tmp_path, "https://user:secret@example.org/a/b"))


def test_project_without_remote_has_its_folders_name_as_key(tmp_path: Path) -> None:
    assert places.project_key(repository(tmp_path / "shop", None)) == "shop"
    assert places.project_key(tmp_path / "not a repository") == "not a repository"


def test_worktree_has_the_key_of_its_repository(tmp_path: Path) -> None:
    main = repository(tmp_path / "main", "git@github.com:acme/shop.git")
    inside = main / ".git" / "worktrees" / "feature"
    inside.mkdir(parents=True)
    (inside / "commondir").write_text("../..\n")
    worktree = tmp_path / "feature"
    worktree.mkdir()
    (worktree / ".git").write_text(f"gitdir: {inside}\n")

    assert places.project_key(worktree) == "github.com/acme/shop"


def test_variable_overrides_the_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORYSERVER_PROJECT", "mine")

    assert places.project_key(repository(tmp_path, "git@github.com:acme/shop.git")) == "mine"


def test_root_is_the_nearest_folder_with_a_repository(tmp_path: Path) -> None:
    root = repository(tmp_path / "shop", None)
    (root / "src" / "deep").mkdir(parents=True)

    assert places.project_root(root / "src" / "deep") == root


def test_root_without_a_repository_is_the_folder_itself(tmp_path: Path) -> None:
    assert places.project_root(tmp_path) == tmp_path


def test_agents_project_folder_is_the_root_where_a_hook_gives_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(tmp_path))

    assert places.project_root() == tmp_path


def test_home_is_as_set_or_in_the_users(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORYSERVER_HOME", str(tmp_path))
    assert home_folder.path() == tmp_path

    monkeypatch.delenv("MEMORYSERVER_HOME")
    monkeypatch.setenv("HOME", "/home/dev")
    assert home_folder.path() == Path("/home/dev/.memoryserver")


def test_journal_and_assessments_lie_in_the_project_unless_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert places.journal_dir(tmp_path) == tmp_path / ".claude" / "journal"
    assert places.trajectory_dir(tmp_path) == tmp_path / ".wink" / "trajectory"

    monkeypatch.setenv("MEMORYSERVER_JOURNAL_DIR", "/elsewhere/journal")
    assert places.journal_dir(tmp_path) == Path("/elsewhere/journal")


def test_project_is_what_the_environment_says_else_where_the_event_happened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a/.git").mkdir(parents=True)
    (tmp_path / "a/b").mkdir()
    monkeypatch.delenv("CLAUDE_PROJECT_DIR", raising=False)
    monkeypatch.chdir(tmp_path / "a")
    assert places.root_of_event({"cwd": str(tmp_path / "a/b")}) == tmp_path / "a"
    for odd in (None, 7, "relative", "/x\0y", ""):
        assert places.root_of_event({"cwd": odd}) == tmp_path / "a"
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(tmp_path))
    assert places.root_of_event({"cwd": str(tmp_path / "a/b")}) == tmp_path
