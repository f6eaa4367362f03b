"""Which project a folder belonged to that is gone, by what is left beside it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from capture.local.scanning import gone_folders
from tests.support.laptops.repositories import git, repository, worktree


@pytest.fixture(autouse=True)
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MEMORYSERVER_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "work").mkdir()
    return tmp_path / "work"


def test_worktree_removed_without_git_is_in_gits_own_record(work: Path) -> None:
    shop = repository(work / "shop")
    repository(work / "other")
    shutil.rmtree(worktree(shop, work / "zurich-v1"))
    assert gone_folders.project_of(str(work / "zurich-v1" / "src")) == "shop"


@pytest.mark.parametrize("name", ["shop-feature", "shop.feature", "shop_feature", "SHOP-x"])
def test_name_that_begins_with_the_repositorys_is_its(name: str, work: Path) -> None:
    for repo in ("shop", "sho", "other"):
        repository(work / repo)
    assert gone_folders.project_of(str(work / name)) == "shop"


def test_longest_name_counts(work: Path) -> None:
    for repo in ("shop", "shop-api"):
        repository(work / repo)
    assert gone_folders.project_of(str(work / "shop-api-feature")) == "shop-api"


@pytest.mark.parametrize("name", ["agent-ab12cd", "worktree-1", "wf_12"])
def test_agents_worktree_is_of_the_only_repository_beside_it(name: str, work: Path) -> None:
    repository(work / "shop")
    assert gone_folders.project_of(str(work / name)) == "shop"
    repository(work / "other")
    assert gone_folders.project_of(str(work / name)) == ""


def test_folder_among_worktrees_of_one_repository_is_one_of_them(work: Path) -> None:
    shop = repository(work / "repositories" / "shop")
    worktree(shop, work / "tokyo")
    worktree(shop, work / "lima")
    assert gone_folders.project_of(str(work / "oslo")) == "shop"
    repository(work / "other")
    assert gone_folders.project_of(str(work / "oslo")) == ""


def test_folder_beside_a_repository_is_not_its_without_a_sign(work: Path) -> None:
    repository(work / "shop")
    assert gone_folders.project_of(str(work / "scratch")) == ""
    assert gone_folders.project_of("/nowhere/at/all") == ""


@pytest.mark.parametrize("packed", [False, True])
def test_repository_with_the_sessions_branch_is_meant(packed: bool, work: Path) -> None:
    shop = repository(work / "shop")
    repository(work / "other")
    git(shop, "branch", "fix/lock")
    if packed:
        git(shop, "pack-refs", "--all")
    assert gone_folders.project_of(str(work / "x"), branch="fix/lock") == "shop"
    assert gone_folders.project_of(str(work / "x"), branch="fix/lo") == ""
    assert gone_folders.project_of(str(work / "x"), branch="main") == ""


def test_slug_leads_to_the_deepest_folder_that_is_there(work: Path) -> None:
    shop = repository(work / "my.shop" / "a-b")
    repository(work / "my" / "x")
    slug = gone_folders.slug_of(str(shop))
    assert gone_folders.project_of("/nowhere/x", slug=slug) == "a-b"
    assert gone_folders.project_of("/nowhere/x", slug=f"{slug}--claude-worktrees-agent-1") == "a-b"
    assert gone_folders.project_of("/nowhere/x", slug=gone_folders.slug_of(str(work / "none"))) == ""
