"""Which folders are kept out of the memory."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from memoryserver.client import exclusions, home_folder, places
from memoryserver.client.exclusions import Exclusions
from tests.support.laptops.repositories import repository, worktree


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MEMORYSERVER_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in (exclusions.VARIABLE, "CLAUDE_PROJECT_DIR", "MEMORYSERVER_PROJECT"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path / "home"


def test_nothing_is_excluded_without_a_file(tmp_path: Path) -> None:
    assert (home_folder.excludes_any(), bool(Exclusions()), Exclusions().of(str(tmp_path))) == (False, False, "")


def test_folder_is_excluded_with_all_below_it_and_not_with_its_neighbours(tmp_path: Path) -> None:
    folder = tmp_path / "personal"
    (folder / "tax").mkdir(parents=True)
    exclusions.save([str(folder)])

    found = Exclusions()

    assert [found.of(str(folder)), found.of(str(folder / "tax")), found.of(str(folder / "not/there"))] == [
        str(folder)
    ] * 3
    assert [found.of(str(tmp_path / name)) for name in ("personal-notes", "", "other")] == [""] * 3


def test_worktree_is_excluded_with_its_repository_also_when_it_is_gone(tmp_path: Path) -> None:
    shop = repository(tmp_path / "shop")
    tree = worktree(shop, tmp_path / "elsewhere/fix")
    places.record(places.of(tree))
    exclusions.save([str(shop)])

    assert Exclusions().of(str(tree / "src")) == str(shop)
    shutil.rmtree(tree)
    assert Exclusions().of(str(tree)) == str(shop)


def test_part_of_a_repository_is_excluded_alone(tmp_path: Path) -> None:
    shop = repository(tmp_path / "shop")
    (shop / "data").mkdir()
    exclusions.save([str(shop / "data")])

    found = Exclusions()

    assert (found.of(str(shop / "data")), found.of(str(shop))) == (str(shop / "data"), "")


def test_link_to_an_excluded_folder_is_excluded(tmp_path: Path) -> None:
    (tmp_path / "personal").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "personal")
    exclusions.save([str(tmp_path / "personal")])

    assert Exclusions().of(str(tmp_path / "link")) == str(tmp_path / "personal")


def test_variable_of_a_fleet_adds_to_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    exclusions.save([str(tmp_path / "a")])
    monkeypatch.setenv(exclusions.VARIABLE, os.pathsep.join(["~/personal", str(tmp_path / "b")]))

    assert Exclusions().folders == {
        str(tmp_path / "personal"): exclusions.VARIABLE,
        str(tmp_path / "b"): exclusions.VARIABLE,
        str(tmp_path / "a"): str(exclusions.path()),
    }


def test_file_may_be_written_by_hand_and_keeps_its_comments(tmp_path: Path, home: Path) -> None:
    home.mkdir()
    (home / "excluded").write_text("# clients\n~/clients\n\nrelative/path\n")

    assert list(Exclusions().folders) == [str(tmp_path / "clients")]
    assert Exclusions().problems == [f"{home / 'excluded'} excludes 'relative/path', which is not an absolute path"]
    exclusions.save([str(tmp_path / "more"), str(tmp_path / "clients")])
    exclusions.save([], removed=[str(tmp_path / "more")])
    assert (home / "excluded").read_text() == "# clients\n~/clients\n\nrelative/path\n"


def test_file_goes_with_the_last_folder(tmp_path: Path, home: Path) -> None:
    exclusions.save([str(tmp_path / "a")])
    exclusions.save([], removed=[str(tmp_path / "a")])

    assert (list(home.glob("excluded*")), home_folder.excludes_any()) == ([], False)


def test_everything_is_excluded_while_the_file_cannot_be_read(tmp_path: Path, home: Path) -> None:
    (home / "excluded").mkdir(parents=True)

    found = Exclusions()

    assert (bool(found), found.of(str(tmp_path)), found.has_project("shop")) == (True, str(home / "excluded"), True)
    assert found.problems == [f"{home / 'excluded'} cannot be read (Is a directory), so everything is excluded"]


def test_project_is_excluded_by_its_key_if_all_its_known_folders_are(tmp_path: Path) -> None:
    url = "https://github.com/acme/shop.git"
    one, two = repository(tmp_path / "client/one", url), repository(tmp_path / "two", url)
    places.record(places.of(one))
    exclusions.save([str(tmp_path / "client")])

    keys = ("github.com/acme/shop", places.NO_PROJECT, "", None)
    assert [Exclusions().has_project(key) for key in keys] == [True, False, False, False]
    places.record(places.of(two))
    assert Exclusions().has_project("github.com/acme/shop") is False


def test_event_happens_where_its_session_began_and_where_its_shell_is(tmp_path: Path) -> None:
    secret, shop = repository(tmp_path / "secret"), repository(tmp_path / "shop")
    exclusions.save([str(secret)])

    assert exclusions.of_event({"cwd": str(secret / "src")}) == str(secret)
    assert exclusions.of_event({"cwd": str(shop)}) == ""


def test_session_that_began_in_an_excluded_folder_stays_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    secret, shop = repository(tmp_path / "secret"), repository(tmp_path / "shop")
    exclusions.save([str(secret)])

    monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(secret))
    assert exclusions.of_event({"cwd": str(shop)}) == str(secret)
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(shop))
    assert exclusions.of_event({"cwd": str(secret)}) == str(secret)
