"""The folder that holds everything memoryserver keeps on a laptop."""

from __future__ import annotations

from pathlib import Path

import pytest

from memoryserver.client import home_folder


def test_environment_names_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORYSERVER_HOME", str(tmp_path / "memory"))
    assert home_folder.path() == tmp_path / "memory"


@pytest.mark.parametrize("value", [None, ""])
def test_default_is_in_the_home_of_the_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, value: str | None) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("MEMORYSERVER_HOME", raising=False)
    if value is not None:
        monkeypatch.setenv("MEMORYSERVER_HOME", value)
    assert home_folder.path() == tmp_path / ".memoryserver"


def test_tilde_is_the_home_of_the_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("MEMORYSERVER_HOME", "~/memory")
    assert home_folder.path() == tmp_path / "memory"


def test_folder_is_not_created(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORYSERVER_HOME", str(tmp_path / "memory"))
    assert home_folder.path().exists() is False
