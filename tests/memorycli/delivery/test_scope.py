from __future__ import annotations

from pathlib import Path

import pytest

from memorycli.delivery import scope
from memorycli.delivery.scope import Journal, Scope


def test_scope_of_the_project_is_its_own_journal() -> None:
    assert scope.of_project() == Scope((Journal(Path.cwd() / ".claude/journal", "shop"),))


def test_folder_below_the_project_has_the_scope_of_the_project(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = scope.of_project()
    Path("src").mkdir()
    monkeypatch.chdir("src")

    assert scope.of_project() == expected


def test_named_folder_replaces_the_journal_and_not_the_project(tmp_path: Path) -> None:
    assert scope.of_project(tmp_path / "other").journals == (Journal(tmp_path / "other", "shop"),)


def test_project_key_and_journal_folder_are_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORYSERVER_PROJECT", "github.com/acme/shop")
    monkeypatch.setenv("MEMORYSERVER_JOURNAL_DIR", str(tmp_path / "journal"))

    assert scope.of_project().journals == (Journal(tmp_path / "journal", "github.com/acme/shop"),)


def test_options_are_passed_on_and_off_by_default() -> None:
    assert (Scope().retry_failed, Scope().ignore_pauses) == (False, False)
    chosen = scope.of_project(retry_failed=True, ignore_pauses=True)
    assert (chosen.retry_failed, chosen.ignore_pauses) == (True, True)
