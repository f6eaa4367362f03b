"""The one answer to "which project, which journal?", for every kind of folder that a session may start in."""

from __future__ import annotations

import os
import shutil
import unicodedata
from pathlib import Path

import pytest

from memoryserver.client import home_folder, places
from memoryserver.client.hook_state import SessionMemory
from memoryserver.common.digest import digest
from tests.support.laptops.repositories import git, repository, worktree

URL = "git@github.com:Acme/Shop.git"
KEY = "github.com/acme/shop"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    sessions = (places.SESSION_VARIABLE, places.CODEX_SESSION_VARIABLE)
    for name in ("CLAUDE_PROJECT_DIR", "MEMORYSERVER_PROJECT", "MEMORYSERVER_JOURNAL_DIR", *sessions):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "user").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    monkeypatch.setenv("MEMORYSERVER_HOME", str(tmp_path / "memory"))
    return tmp_path / "memory"


def answer(folder: Path | str) -> tuple[str, Path]:
    project = places.of(folder)
    return project.key(), project.journal


def journal_of(main: Path) -> Path:
    return main / ".claude" / "journal"


def journal_of_worktree(main: Path, folder: Path) -> Path:
    return journal_of(main) / "worktrees" / f"{folder.name}-{digest(str(folder), 4)}"


def test_sub_folder_of_a_repository_has_its_key_and_journal(tmp_path: Path) -> None:
    shop = repository(tmp_path / "shop", URL)
    (shop / "packages" / "api").mkdir(parents=True)
    assert answer(shop / "packages" / "api") == answer(shop) == (KEY, journal_of(shop))
    assert places.of(shop / "packages" / "api").root == shop


@pytest.mark.parametrize("remote", [URL, ""])
@pytest.mark.parametrize("where", ["zurich-v1", "shop/.claude/worktrees/noble-hare"])
def test_worktree_has_the_key_of_its_main_checkout_and_a_journal_of_its_own_there(
    where: str, remote: str, tmp_path: Path
) -> None:
    shop = repository(tmp_path / "shop", remote)
    folder = worktree(shop, tmp_path / where)
    (folder / "src").mkdir()

    key = KEY if remote else "shop"
    assert answer(shop) == (key, journal_of(shop))
    assert answer(folder / "src") == answer(folder) == (key, journal_of_worktree(shop, folder))
    assert places.of(folder / "src").root == folder


def test_worktrees_of_one_name_have_a_journal_each(tmp_path: Path) -> None:
    shop = repository(tmp_path / "shop", URL)
    folders = [worktree(shop, tmp_path / name / "wip", branch=name) for name in ("a", "b")]
    assert [answer(folder)[1] for folder in folders] == [journal_of_worktree(shop, folder) for folder in folders]


@pytest.mark.parametrize("remote", ["../shop.git", "/srv/git/shop.git", "file:///srv/shop.git"])
def test_local_remote_is_as_none(remote: str, tmp_path: Path) -> None:
    assert answer(repository(tmp_path / "Mine", remote))[0] == "mine"


def test_key_never_holds_a_password(tmp_path: Path) -> None:
    assert answer(repository(tmp_path, "https://user:se@cret@github.com/acme/shop"))[0] == KEY


def test_clones_of_one_remote_have_one_key_and_a_journal_each(tmp_path: Path) -> None:
    first, second = repository(tmp_path / "a", URL), repository(tmp_path / "b", URL.lower())
    assert (answer(first), answer(second)) == ((KEY, journal_of(first)), (KEY, journal_of(second)))


def test_folders_without_version_control_share_one_project_and_journal(tmp_path: Path, home: Path) -> None:
    for folder in (tmp_path / "a", tmp_path / "a" / "deep", tmp_path / "b"):
        folder.mkdir()
        assert answer(folder) == (places.NO_PROJECT, home / "journal")
        assert places.of(folder).root == folder


def test_settings_file_makes_a_folder_a_project(tmp_path: Path) -> None:
    notes = tmp_path / "Notes"
    (notes / "2026").mkdir(parents=True)
    (notes / ".memoryserver.json").write_text("{}")
    assert answer(notes / "2026") == answer(notes) == ("notes", journal_of(notes))

    (notes / ".memoryserver.json").write_text('{"project": "My  Thoughts"}')
    assert answer(notes / "2026")[0] == "my thoughts"
    for odd in ('{"project": "github.com/acme/shop"}', '{"project": 7}', '{"project": ""}', "{"):
        (notes / ".memoryserver.json").write_text(odd)
        assert answer(notes)[0] == "notes"


def test_folder_without_version_control_keeps_the_journal_that_it_has(tmp_path: Path, home: Path) -> None:
    (tmp_path / "Old" / "deep").mkdir(parents=True)
    journal_of(tmp_path / "Old").mkdir(parents=True)
    assert answer(tmp_path / "Old") == ("old", journal_of(tmp_path / "Old"))
    assert answer(tmp_path / "Old" / "deep") == (places.NO_PROJECT, home / "journal")


def test_settings_file_does_not_name_a_repository(tmp_path: Path) -> None:
    shop = repository(tmp_path / "shop", URL)
    (shop / "part").mkdir()
    for folder in (shop, shop / "part"):
        (folder / ".memoryserver.json").write_text('{"project": "other"}')
    assert answer(shop / "part") == answer(shop) == (KEY, journal_of(shop))


def test_variable_names_the_project_worked_in(tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shop = repository(tmp_path / "shop", URL)
    monkeypatch.setenv("MEMORYSERVER_PROJECT", "Mine")

    assert answer(shop) == ("Mine", journal_of(shop))
    assert places.of(shop).key(environment=False) == KEY
    key, journal = answer(tmp_path)
    assert (key, journal.parent) == ("Mine", home / "journals")


def test_journal_lies_where_the_setting_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shop = repository(tmp_path / "shop")
    folder = worktree(shop, tmp_path / "beside")
    (shop / ".memoryserver.json").write_text('{"journal_dir": "notes"}')
    assert answer(shop)[1] == shop / "notes"
    assert answer(folder)[1].parent == shop / "notes" / "worktrees"

    monkeypatch.setenv("MEMORYSERVER_JOURNAL_DIR", "/elsewhere/journal")
    assert {answer(path)[1] for path in (folder, shop, tmp_path)} == {Path("/elsewhere/journal")}


@pytest.mark.parametrize("variable", ["GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_CEILING_DIRECTORIES"])
def test_variables_of_git_do_not_move_a_session(variable: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shop, other = repository(tmp_path / "shop", URL), repository(tmp_path / "other")
    (shop / "src").mkdir()
    monkeypatch.setenv(variable, str(other / ".git"))
    assert answer(shop / "src") == (KEY, journal_of(shop))


def test_submodule_and_nested_repository_are_projects_of_their_own(tmp_path: Path) -> None:
    part, shop = repository(tmp_path / "part"), repository(tmp_path / "shop", URL)
    git(shop, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(part), "lib")
    git(shop / "lib", "remote", "set-url", "origin", "https://example.org/a/lib")
    nested = repository(shop / "nested")

    assert answer(shop / "lib") == ("example.org/a/lib", journal_of(shop / "lib"))
    assert answer(nested) == ("nested", journal_of(nested))


def test_bare_repository_and_its_worktrees_are_one_project(tmp_path: Path) -> None:
    shop = repository(tmp_path / "shop")
    git(tmp_path, "clone", "-q", "--bare", str(shop), "hub.git")
    git(tmp_path / "hub.git", "remote", "remove", "origin")
    folders = [worktree(tmp_path / "hub.git", tmp_path / name) for name in ("one", "two")]
    hub = tmp_path / "hub.git"
    assert answer(hub) == ("hub", journal_of(hub))
    assert [answer(folder) for folder in folders] == [("hub", journal_of_worktree(hub, folder)) for folder in folders]


def test_link_to_a_checkout_is_that_checkout_under_the_path_that_was_asked(tmp_path: Path) -> None:
    shop = repository(tmp_path / "data" / "shop")
    (shop / "src").mkdir()
    (tmp_path / "current").symlink_to(shop)
    (tmp_path / "deep").symlink_to(shop / "src")

    assert answer(tmp_path / "current" / "src") == answer(tmp_path / "deep") == ("shop", journal_of(shop))
    assert places.of(tmp_path / "current" / "src").root == tmp_path / "current"
    assert places.of(tmp_path / "deep").root == shop


def test_link_out_of_a_repository_leads_to_where_it_points(tmp_path: Path) -> None:
    shop, other = repository(tmp_path / "shop"), repository(tmp_path / "other")
    (shop / "link").symlink_to(other)
    assert answer(shop / "link") == ("other", journal_of(other))


def test_composed_and_decomposed_names_are_one_key(tmp_path: Path) -> None:
    keys = set()
    for form in ("NFC", "NFD"):
        keys.add(answer(repository(tmp_path / form / unicodedata.normalize(form, "Café")))[0])
    assert keys == {"café"}


def test_name_that_is_not_utf_8_gives_a_key_that_can_be_sent(tmp_path: Path) -> None:
    folder = Path(os.fsdecode(os.fsencode(tmp_path) + b"/sh\xffop"))
    assert answer(repository(folder))[0].encode() == "sh\ufffdop".encode()


def test_removed_worktree_has_the_project_that_it_had(tmp_path: Path) -> None:
    shop = repository(tmp_path / "shop", URL)
    folder = worktree(shop, tmp_path / "agent-1")
    places.record(places.of(folder))
    git(shop, "worktree", "remove", str(folder))
    assert answer(folder / "src") == (KEY, journal_of_worktree(shop, folder))


def test_worktrees_are_remembered_with_their_main_checkout(tmp_path: Path) -> None:
    shop = repository(tmp_path / "shop", URL)
    folder = worktree(shop, tmp_path / "agent-1")
    places.record(places.of(shop))
    git(shop, "worktree", "remove", str(folder))
    assert answer(folder) == (KEY, journal_of_worktree(shop, folder))


def test_worktree_of_a_moved_repository_has_the_project_that_it_had(tmp_path: Path) -> None:
    shop = repository(tmp_path / "shop", URL)
    folder = worktree(shop, tmp_path / "beside")
    places.record(places.of(folder))
    shop.rename(tmp_path / "moved")
    assert answer(folder)[0] == answer(tmp_path / "moved")[0] == KEY


def test_worktree_of_a_moved_repository_never_seen_has_its_name(tmp_path: Path) -> None:
    shop = repository(tmp_path / "shop", URL)
    folder = worktree(shop, tmp_path / "beside")
    shop.rename(tmp_path / "moved")
    assert answer(folder)[0] == "shop"


def test_folder_that_is_gone_and_was_never_seen_has_no_key(tmp_path: Path, home: Path) -> None:
    assert answer(tmp_path / "agent-1") == ("", home / "journal")


def test_folder_seen_before_it_became_a_repository_is_that_repository(tmp_path: Path) -> None:
    (tmp_path / "shop").mkdir()
    places.record(places.of(tmp_path / "shop"))
    assert answer(repository(tmp_path / "shop", URL))[0] == KEY
    shutil.rmtree(tmp_path / "shop")
    assert answer(tmp_path / "shop")[0] == places.NO_PROJECT


def test_process_works_for_the_folder_that_the_agent_names_wherever_its_shell_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop, other = repository(tmp_path / "shop"), repository(tmp_path / "other")
    (shop / "src").mkdir()
    monkeypatch.chdir(other)
    assert places.here().root == other
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(shop / "src"))
    assert places.here().root == shop
    assert places.project_root() == shop


def test_command_of_a_session_works_for_the_folder_in_which_that_began(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop, other = repository(tmp_path / "shop"), repository(tmp_path / "other")
    memory = SessionMemory("s1")
    memory.root = str(shop)
    memory.save()
    monkeypatch.chdir(other)
    monkeypatch.setenv(places.SESSION_VARIABLE, "s1")
    assert places.here().root == shop
    assert places.project_root() == other  # settings are written where the person stands

    monkeypatch.setenv(places.SESSION_VARIABLE, "unknown")
    assert places.here().root == other


def test_event_happened_where_the_agents_project_is_else_where_its_shell_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop, other = repository(tmp_path / "shop"), repository(tmp_path / "other")
    (shop / "src").mkdir()
    monkeypatch.chdir(shop)
    assert places.of_event({"cwd": str(other)}).root == other
    for odd in (None, 7, "relative", "/x\0y", ""):
        assert places.of_event({"cwd": odd}).root == shop
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(shop / "src"))
    assert places.of_event({"cwd": str(other)}).root == shop


def test_shell_in_a_folder_that_was_removed_is_where_it_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shop = repository(tmp_path / "shop", URL)
    folder = worktree(shop, tmp_path / "agent-1")
    places.record(places.of(folder))
    monkeypatch.chdir(folder)
    git(shop, "worktree", "remove", "--force", str(folder))
    monkeypatch.setenv("PWD", str(folder))
    assert places.here().key() == KEY

    monkeypatch.delenv("PWD")
    with pytest.raises(FileNotFoundError):
        places.here()
    assert places.of_event({}).root == Path(os.sep)


def test_home_is_as_set_or_in_the_users(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORYSERVER_HOME", str(tmp_path))
    assert home_folder.path() == tmp_path

    monkeypatch.delenv("MEMORYSERVER_HOME")
    monkeypatch.setenv("HOME", "/home/dev")
    assert home_folder.path() == Path("/home/dev/.memoryserver")


def test_assessments_lie_in_the_checkout_unless_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert places.trajectory_dir(tmp_path) == tmp_path / ".wink" / "trajectory"
    monkeypatch.setenv("MEMORYSERVER_TRAJECTORY_DIR", "/elsewhere")
    assert places.trajectory_dir(tmp_path) == Path("/elsewhere")


def test_event_folder_that_is_not_utf8_is_the_current_folder_of_that_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "caf\udce9"
    folder.mkdir()
    monkeypatch.chdir(folder)

    assert places.folder_of({"cwd": str(tmp_path / "caf\ufffd")}) == str(folder)
    assert places.folder_of({"cwd": str(tmp_path / "x\ufffd")}) == str(tmp_path / "x\ufffd")
