"""`memory capture install` and `uninstall` as a person at a terminal uses them."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from memorycli.main import main
from memoryserver.client import home_folder
from tests.memorycli.commands.test_capture import out
from tests.support.laptops.capture_laptop import empty_home


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return empty_home(tmp_path, monkeypatch)


def test_install_dry_run_shows_the_file_and_the_commands_and_does_nothing(
    home: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
):
    assert main(["capture", "install", "--dry-run"]) == 0
    shown = out(capsys)
    assert f"MEMORYSERVER_HOME={home}" in shown
    assert sys.executable in shown
    assert main(["capture", "install", "--dry-run", "--json"]) == 0
    assert sorted(json.loads(out(capsys))) == ["commands", "content", "path"]
    assert main(["capture", "uninstall", "--dry-run"]) == 0
    assert "Would remove " in out(capsys)
    assert not (tmp_path / "nobody").exists()
    assert not home.exists()


def test_install_and_uninstall(
    home: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
):
    bin_ = tmp_path / "bin"
    bin_.mkdir()
    for name in ("systemctl", "launchctl"):
        (bin_ / name).write_text("#!/bin/sh\n")
        (bin_ / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{bin_}:/usr/bin:/bin")
    assert main(["capture", "install"]) == 0
    printed = capsys.readouterr()
    path = Path(printed.out.strip().partition(": ")[2])
    assert printed.out.startswith("Service installed and started: ")
    assert printed.err == "memory: not logged in; learnings wait until then; run: memory login URL\n"
    assert (path.is_relative_to(tmp_path / "nobody"), path.exists()) == (True, True)
    assert (home / "logs").is_dir()
    assert main(["capture", "uninstall"]) == 0
    assert (out(capsys), path.exists()) == (f"Service removed: {path}", False)
    assert main(["capture", "uninstall"]) == 0
    assert out(capsys) == f"No service is installed at {path}"


def test_install_that_cannot_start_the_service_is_an_error_in_one_line(
    home: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
):
    bin_ = tmp_path / "bin"
    bin_.mkdir()
    (bin_ / "systemctl").write_text("#!/bin/sh\necho Failed to connect to bus >&2\nexit 1\n")
    (bin_ / "systemctl").chmod(0o755)
    monkeypatch.setenv("PATH", f"{bin_}:/usr/bin:/bin")
    monkeypatch.setattr(sys, "platform", "linux")
    assert main(["capture", "install"]) == 1
    printed = capsys.readouterr().err
    assert "is written, but not started: Failed to connect to bus; to start it: systemctl --user" in printed
    assert printed.count("\n") == 1


def test_install_with_a_token_in_the_environment_warns_that_the_service_does_not_see_it(
    home: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("MEMORYSERVER_TOKEN", "ms_secret")
    assert main(["capture", "install"]) == 0
    printed = capsys.readouterr()
    assert "To start it, run:" in printed.out
    assert "MEMORYSERVER_TOKEN" in printed.err
    assert "ms_secret" not in printed.out + printed.err
    assert home_folder.path() == home
