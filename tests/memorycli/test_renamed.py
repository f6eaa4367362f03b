"""A laptop notices that the project worked in had another key before, and takes no other project for it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from memorycli import renamed
from memorycli.delivery import connection
from memoryserver.client import context_cache, places, sightings
from tests.support.laptops.repositories import git, repository, worktree

OLD, NEW = "github.com/acme/shop", "github.com/store/shop"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MEMORYSERVER_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("MEMORYSERVER_PROJECT", raising=False)
    connection.store("http://server", "msv_x")
    return tmp_path / "home"


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A repository in which a session began."""
    folder = repository(tmp_path / "shop", f"git@{OLD.replace('/', ':', 1)}.git")
    assert news(folder) == ()
    return folder


def news(folder: Path) -> tuple[str, ...]:
    return renamed.news(places.of(folder))


def earlier(folder: Path) -> tuple[str, ...]:
    return renamed.earlier_keys(places.of(folder))


def set_remote(folder: Path, key: str = NEW) -> None:
    git(folder, "remote", "set-url", "origin", f"https://{key}.git")


def test_new_remote_is_news_once_and_stays_to_be_done(shop: Path) -> None:
    assert (earlier(shop), news(shop)) == ((), ())
    set_remote(shop)

    assert (earlier(shop), news(shop), news(shop), earlier(shop)) == ((OLD,), (OLD,), (), (OLD,))


def test_first_remote_is_news(tmp_path: Path) -> None:
    folder = repository(tmp_path / "cellar")
    news(folder)
    git(folder, "remote", "add", "origin", f"https://{NEW}.git")

    assert news(folder) == ("cellar",)


def test_same_address_written_otherwise_is_no_news(shop: Path) -> None:
    git(shop, "remote", "set-url", "origin", "https://github.com/Acme/shop")
    assert news(shop) == ()


def test_second_rename_adds_to_the_first(shop: Path) -> None:
    set_remote(shop)
    assert news(shop) == (OLD,)
    set_remote(shop, "github.com/third/shop")

    assert news(shop) == (OLD, NEW)


def test_rename_that_is_taken_back_leaves_what_was_stored_between(shop: Path) -> None:
    set_remote(shop)
    news(shop)
    set_remote(shop, OLD)

    assert news(shop) == (NEW,)


def test_moved_folder_without_a_remote_is_news(tmp_path: Path) -> None:
    folder = repository(tmp_path / "shop")
    news(folder)
    moved = tmp_path / "work/store"
    moved.parent.mkdir()
    folder.rename(moved)

    assert news(moved) == ("shop",)


def test_moved_folder_with_a_remote_has_its_key_still(shop: Path, tmp_path: Path) -> None:
    shop.rename(tmp_path / "store")
    assert news(tmp_path / "store") == ()


def test_sub_folders_and_worktrees_are_the_same_project(shop: Path, tmp_path: Path) -> None:
    (shop / "packages/web").mkdir(parents=True)
    side = worktree(shop, tmp_path / "agent-1")
    assert news(side) == news(shop / "packages/web") == ()
    set_remote(shop)

    assert (news(shop / "packages/web"), news(side), earlier(side)) == ((OLD,), (), (OLD,))


@pytest.mark.parametrize("copy", [shutil.copytree, lambda a, b: git(a, "clone", "-q", ".", str(b))])
def test_copy_and_clone_are_other_projects(copy: Callable[[Path, Path], object], tmp_path: Path) -> None:
    folder = repository(tmp_path / "shop")
    news(folder)
    copy(folder, tmp_path / "experiment")

    assert news(tmp_path / "experiment") == ()


def test_other_repository_in_the_same_folder_is_another_project(shop: Path) -> None:
    """A new git folder has the number of the one that was deleted, most likely, and is younger."""
    shutil.rmtree(shop)
    repository(shop, f"https://{NEW}.git")

    assert news(shop) == ()


def test_work_on_a_fork_is_another_project(shop: Path) -> None:
    git(shop, "remote", "rename", "origin", "upstream")
    git(shop, "remote", "add", "origin", "https://github.com/ana/shop.git")

    assert (places.of(shop).key(), news(shop)) == ("github.com/ana/shop", ())


def test_same_git_folder_at_two_places_is_no_move(tmp_path: Path) -> None:
    folder = repository(tmp_path / "shop")
    news(folder)
    folder.rename(tmp_path / "store")
    folder.mkdir()  # as where it is mounted twice

    assert news(tmp_path / "store") == ()


def test_what_the_server_has_renamed_already_is_no_news(shop: Path) -> None:
    context_cache.store(OLD, "http://server", "- Use uv", renamed_to=NEW)
    set_remote(shop)

    assert news(shop) == ()


def test_named_folder_without_version_control_is_news_by_its_new_name(tmp_path: Path) -> None:
    settings = tmp_path / "notes/.memoryserver.json"
    settings.parent.mkdir()
    settings.write_text('{"project": "diary"}')
    assert news(settings.parent) == ()
    settings.write_text('{"project": "log"}')

    assert news(settings.parent) == ("diary",)


def test_folder_of_no_project_and_one_named_by_the_environment_are_not_looked_at(
    shop: Path, tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "plain").mkdir()
    before = sorted(home.rglob("*"))
    assert news(tmp_path / "plain") == ()
    monkeypatch.setenv("MEMORYSERVER_PROJECT", "other")
    set_remote(shop)

    assert (news(shop), sorted(home.rglob("*"))) == ((), before)


def test_template_without_a_description_is_no_hindrance(shop: Path, tmp_path: Path) -> None:
    folder = repository(tmp_path / "bare-template")
    (folder / ".git/description").unlink()
    assert news(folder) == ()
    git(folder, "remote", "add", "origin", f"https://{NEW}.git")
    assert news(folder) == ("bare-template",)
    shutil.rmtree(folder / ".git/hooks")

    assert earlier(folder) == ()


def test_nobody_without_a_server_is_told(shop: Path) -> None:
    os.unlink(connection.credentials_path())
    set_remote(shop)
    assert (earlier(shop), news(shop)) == ((), ())
    connection.store("http://server", "msv_x")

    assert (earlier(shop), news(shop)) == ((OLD,), (OLD,))


def test_settled_rename_takes_the_folders_seen_before_along(tmp_path: Path) -> None:
    folder = repository(tmp_path / "shop")
    news(folder)
    places.record(places.of(folder))
    moved = folder.rename(tmp_path / "store")
    sightings.record("/elsewhere", str(tmp_path), "shop")
    assert news(moved) == ("shop",)
    renamed.settle(places.of(moved), "shop", is_same=True)

    assert earlier(moved) == ()
    assert [places.of(path).key() for path in (folder, moved)] == ["store", "store"]
    assert [sighting.key for name in ("/elsewhere",) if (sighting := sightings.of(name))] == ["shop"]


def test_dismissed_rename_leaves_the_folders_seen_before(shop: Path) -> None:
    sightings.record("/gone/agent-1", str(shop), OLD)
    set_remote(shop)
    news(shop)
    renamed.settle(places.of(shop), OLD, is_same=False)
    seen = sightings.of("/gone/agent-1")

    assert (earlier(shop), news(shop), seen and seen.key) == ((), (), OLD)
