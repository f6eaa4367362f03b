"""The entry points of installed packages, looked for once after each installation."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from memoryserver.client import home_folder
from trajectory.local import recorder
from trajectory.local.config import entry_points, resolve

pytestmark = pytest.mark.usefixtures("home")


def test_packages_are_looked_through_once_and_again_after_an_installation(
    home: Path, install: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = home / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(str(folder))
    assert entry_points.entry_points(resolve.ENTRY_POINTS) == []
    kept = home_folder.path() / "trajectory_config/packages.json"
    kept.write_text(json.dumps(json.loads(kept.read_text()) | {"found": [["kept", "a:b"]]}))
    assert entry_points.entry_points(resolve.ENTRY_POINTS) == [("kept", "a:b")]
    install(folder, mine="mine_observers:config")
    assert entry_points.entry_points(resolve.ENTRY_POINTS) == [("mine", "mine_observers:config")]


def test_quiet_call_looks_for_no_packages(home: Path) -> None:
    project = home / "project"
    recorder.record_report({"tool_name": "T", "result": "x"}, project)
    kept = home_folder.path() / "trajectory_config/packages.json"
    kept.unlink()
    recorder.record_report({"tool_name": "T", "tool_input": 2, "result": "y"}, project)
    assert not kept.exists()


def test_entry_points_come_by_name_and_of_their_group_only(
    home: Path, install: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    install(home / "site", later="mine_observers:config", early="mine_observers:broken")
    monkeypatch.syspath_prepend(str(home / "site"))
    assert entry_points.entry_points(resolve.ENTRY_POINTS) == [
        ("early", "mine_observers:broken"),
        ("later", "mine_observers:config"),
    ]
    assert entry_points.entry_points("no.such.group") == []


@pytest.mark.parametrize("content", ["{", "[]", '{"group": "memoryserver.trajectory_observers", "found": 3}'])
def test_damaged_copy_is_looked_for_again(
    home: Path, install: Callable[..., None], monkeypatch: pytest.MonkeyPatch, content: str
) -> None:
    install(home / "site", mine="mine_observers:config")
    monkeypatch.syspath_prepend(str(home / "site"))
    path = home_folder.path() / "trajectory_config/packages.json"
    path.parent.mkdir(parents=True)
    path.write_text(content)
    assert entry_points.entry_points(resolve.ENTRY_POINTS) == [("mine", "mine_observers:config")]


def test_copy_that_cannot_be_kept_costs_nothing(
    home: Path, install: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    install(home / "site", mine="mine_observers:config")
    monkeypatch.syspath_prepend(str(home / "site"))
    home_folder.path().parent.mkdir(parents=True, exist_ok=True)
    home_folder.path().write_text("a file where the folder must be")
    assert entry_points.entry_points(resolve.ENTRY_POINTS) == [("mine", "mine_observers:config")]
