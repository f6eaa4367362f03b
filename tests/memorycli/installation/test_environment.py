"""The environment and the command of a client that joined."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from memorycli.installation import environment
from memorycli.installation.layout import Layout
from memorycli.installation.versions import InstallationError


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    return Layout(tmp_path / "a client")


def test_environment_runs_what_is_current_wherever_it_points(layout: Layout) -> None:
    environment.make(layout)
    for number in (1, 2):
        folder = layout.versions / str(number)
        (folder / "memorycli").mkdir(parents=True)
        (folder / "memorycli/__init__.py").write_text("")
        (folder / "memorycli/__main__.py").write_text(f"import sys; print({number}, sys.argv[1:])")
        layout.current.unlink(missing_ok=True)
        layout.current.symlink_to(folder)
        launcher = environment.write_launcher(layout, layout.root / "bin")
        done = subprocess.run([launcher, "a b", "$x"], capture_output=True, text=True, check=True)
        assert done.stdout == f"{number} ['a b', '$x']\n"


def test_environment_that_works_is_kept_and_one_that_does_not_is_made_again(layout: Layout) -> None:
    environment.make(layout)
    (layout.env / "kept").write_text("")
    environment.make(layout)
    assert (layout.env / "kept").exists()

    layout.python.unlink()
    environment.make(layout)
    assert (layout.python.exists(), (layout.env / "kept").exists()) == (True, False)


def test_environment_has_no_package(layout: Layout) -> None:
    environment.make(layout)
    (packages,) = layout.env.glob("lib/python3.*/site-packages")

    assert [path.name for path in packages.iterdir()] == ["memory-client.pth"]


def test_command_of_another_is_left(layout: Layout, tmp_path: Path) -> None:
    (tmp_path / "memory").write_text("other")
    with pytest.raises(InstallationError, match="exists and was not made by this"):
        environment.write_launcher(layout, tmp_path)

    assert (tmp_path / "memory").read_text() == "other"
    (tmp_path / "memory").unlink()
    (tmp_path / "memory").symlink_to("/nowhere")
    with pytest.raises(InstallationError, match="exists and was not made by this"):
        environment.write_launcher(layout, tmp_path)


def test_own_command_is_written_again(layout: Layout, tmp_path: Path) -> None:
    path = environment.write_launcher(layout, tmp_path)
    before = path.read_text()

    assert environment.write_launcher(layout, tmp_path) == path
    assert (path.read_text(), os.access(path, os.X_OK)) == (before, True)


def test_all_of_it_is_removed_but_no_command_of_another(layout: Layout, tmp_path: Path) -> None:
    launcher = environment.write_launcher(layout, tmp_path)
    layout.root.mkdir()
    assert environment.remove(layout, str(launcher)) == [f"removed {launcher}", f"removed {layout.root}"]
    assert (launcher.exists(), layout.root.exists()) == (False, False)

    launcher.write_text("other")
    assert environment.remove(layout, str(launcher)) == [f"removed {layout.root}"]
    assert launcher.exists()


@pytest.mark.parametrize(("path", "expected"), [("", False), ("/x:/y/bin", True), ("/y/bin/", True), ("/y", False)])
def test_folder_is_on_the_path(path: str, expected: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", path)

    assert environment.is_on_path(Path("/y/bin")) is expected


def test_folder_of_commands_can_be_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("MEMORY_BIN_DIR", raising=False)
    assert environment.bin_folder() == tmp_path / ".local/bin"

    monkeypatch.setenv("MEMORY_BIN_DIR", "~/bin")
    assert environment.bin_folder() == tmp_path / "bin"
