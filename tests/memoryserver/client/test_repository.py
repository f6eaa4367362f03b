"""The repository around a folder, in every way in which git lays one out."""

from __future__ import annotations

from pathlib import Path

import pytest

from memoryserver.client import repository as repositories
from memoryserver.client.repository import Repository
from tests.support.laptops.repositories import git, repository, worktree


def around(folder: Path) -> Repository:
    found = repositories.around(str(folder))
    assert found is not None
    return found


def places(folder: Path) -> tuple[str, str]:
    found = around(folder)
    return found.top, found.main


def test_repository_is_the_nearest_one_upward(tmp_path: Path) -> None:
    shop = repository(tmp_path / "shop")
    inner = repository(shop / "vendor" / "inner")
    (inner / "src").mkdir()
    (shop / "src" / "deep").mkdir(parents=True)

    assert places(shop / "src" / "deep") == (str(shop), str(shop))
    assert places(inner / "src") == (str(inner), str(inner))
    assert places(shop / "src" / "not there" / "at all") == (str(shop), str(shop))
    assert places(shop / ".git" / "hooks") == (str(shop), str(shop))


def test_folder_without_a_repository_has_none(tmp_path: Path) -> None:
    assert repositories.around(str(tmp_path)) is None
    assert repositories.around(str(tmp_path / "x\0y")) is None


@pytest.mark.parametrize("where", ["beside", "shop/.claude/worktrees/agent-7f"])
def test_worktree_belongs_to_its_main_checkout(where: str, tmp_path: Path) -> None:
    shop = repository(tmp_path / "shop")
    folder = worktree(shop, tmp_path / where)
    (folder / "src").mkdir()

    assert places(folder / "src") == (str(folder), str(shop))
    assert around(folder).name == "shop"
    assert around(shop).checkouts() == around(folder).checkouts() == [str(folder)]


def test_worktree_with_a_relative_path_to_its_repository_is_found(tmp_path: Path) -> None:
    shop = repository(tmp_path / "shop")
    folder = worktree(shop, tmp_path / "beside")
    (folder / ".git").write_text("gitdir: ../shop/.git/worktrees/beside\r\n")
    assert places(folder) == (str(folder), str(shop))


def test_bare_repository_stands_for_its_worktrees(tmp_path: Path) -> None:
    shop = repository(tmp_path / "shop")
    git(tmp_path, "clone", "-q", "--bare", str(shop), "bare/shop.git")
    folder = worktree(tmp_path / "bare" / "shop.git", tmp_path / "bare" / "main-copy")

    assert places(folder) == (str(folder), str(tmp_path / "bare" / "shop.git"))
    assert places(tmp_path / "bare" / "shop.git" / "objects") == (str(tmp_path / "bare/shop.git"),) * 2
    assert around(folder).name == around(tmp_path / "bare" / "shop.git").name == "shop"


@pytest.mark.parametrize("hidden", [".bare", ".git"])
def test_hidden_bare_repository_is_named_by_the_folder_around_it(hidden: str, tmp_path: Path) -> None:
    shop = repository(tmp_path / "shop")
    git(tmp_path, "clone", "-q", "--bare", str(shop), f"project/{hidden}")
    project = tmp_path / "project"
    if hidden == ".bare":
        (project / ".git").write_text("gitdir: ./.bare\n")
    folder = worktree(project, project / "feature")

    assert places(folder) == (str(folder), str(project))
    assert places(project) == (str(project), str(project))
    assert around(folder).name == around(project).name == "project"


def test_submodule_is_a_repository_of_its_own_with_worktrees_of_its_own(tmp_path: Path) -> None:
    part, shop = repository(tmp_path / "part"), repository(tmp_path / "shop")
    git(shop, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(part), "lib")
    folder = worktree(shop / "lib", tmp_path / "lib-feature")

    assert places(shop / "lib") == (str(shop / "lib"), str(shop / "lib"))
    assert places(folder) == (str(folder), str(shop / "lib"))
    assert around(folder).name == "lib"


def test_git_folder_elsewhere_belongs_to_the_checkout_that_names_it(tmp_path: Path) -> None:
    for name in ("shop", "store"):
        (tmp_path / name).mkdir()
    git(tmp_path / "shop", "init", "-q", "--separate-git-dir", str(tmp_path / "store" / "shop.git"))
    assert places(tmp_path / "shop") == (str(tmp_path / "shop"),) * 2
    assert around(tmp_path / "shop").common == str(tmp_path / "store" / "shop.git")


def test_worktree_whose_main_checkout_was_moved_still_names_it(tmp_path: Path) -> None:
    shop = repository(tmp_path / "shop")
    folder = worktree(shop, tmp_path / "beside")
    shop.rename(tmp_path / "moved")

    assert (around(folder).common, around(folder).name) == ("", "shop")
    assert around(folder).checkouts() == []


@pytest.mark.parametrize(
    "content", [b"", b"gitdir:", b"nonsense", b"\xff\xfe\x00", b"gitdir: /nowhere/.git/modules/x\n"]
)
def test_damaged_file_ends_the_search_at_its_folder(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "shop" / "src").mkdir(parents=True)
    (tmp_path / "shop" / ".git").write_bytes(content)
    assert places(tmp_path / "shop" / "src") == (str(tmp_path / "shop"),) * 2


def test_worktrees_that_were_removed_without_git_are_listed(tmp_path: Path) -> None:
    shop = repository(tmp_path / "shop")
    folders = [worktree(shop, tmp_path / name) for name in ("a", "b")]
    (folders[0] / ".git").unlink()
    folders[0].rmdir()
    assert around(shop).checkouts() == [str(folder) for folder in folders]
    assert around(shop).checkouts(limit=1) == [str(folders[0])]


@pytest.mark.parametrize(
    ("head", "branch"), [("ref: refs/heads/fix/cart\n", "fix/cart"), ("0123abc\n", ""), (None, "")]
)
def test_branch_is_the_one_that_is_checked_out(head: str | None, branch: str, tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    if head is not None:
        (tmp_path / ".git/HEAD").write_text(head)
    checkout = repositories.around(str(tmp_path))
    assert checkout is not None
    assert checkout.branch == branch
