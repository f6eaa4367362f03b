"""A home folder, a project and packages for the tests of which observers run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from trajectory.local.config import resolve

PACKAGE = """
from trajectory.local import FixedMessage, ObserverConfig, ObserverTrigger
def config():
    return ObserverConfig(FixedMessage("Hello.", "Mine"), ObserverTrigger(every_n_calls=2))
def broken():
    raise RuntimeError("no")
"""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that holds `home`, and `project`, whose name is shop."""
    monkeypatch.setenv("MEMORYSERVER_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("MEMORYSERVER_PROJECT", "shop")
    (tmp_path / "project").mkdir()
    return tmp_path


@pytest.fixture
def install() -> Callable[..., None]:
    """Return a function that puts a package with entry points into a folder."""
    return _install


def _install(folder: Path, **points: str) -> None:
    """A package with these entry points in `folder`."""
    info = folder / "mine-1.dist-info"
    info.mkdir(parents=True, exist_ok=True)
    (folder / "mine_observers.py").write_text(PACKAGE)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: mine\nVersion: 1\n")
    lines = "".join(f"{name} = {value}\n" for name, value in points.items())
    (info / "entry_points.txt").write_text(f"[{resolve.ENTRY_POINTS}]\n{lines}")
