"""The command that an installer writes into an agent's settings."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from memorycli.hook import command
from trajectory.local.config import resolve

ROOT = Path(__file__).resolve().parents[3]
PACKAGE = """
from trajectory.local import Assessment, Observation, ObserverConfig, ObserverTrigger
class Mine:
    name = "Mine"
    def should_run(self, session, *, context): return True
    def observe(self, session, *, context):
        return Assessment("Mine", "Hello.", (Observation("x", "y"),), severity="warning")
config = ObserverConfig(Mine(), ObserverTrigger(on_every_call=True))
"""


def test_command_names_the_interpreter_and_a_file_of_ours_and_is_kept_from_the_project() -> None:
    interpreter, *flags, script = command.argv()
    assert (interpreter, flags) == (sys.executable, ["-I", "-S"])
    assert Path(script) == ROOT / "memorycli/hook/__main__.py"


@pytest.fixture
def installed(tmp_path: Path) -> list[str]:
    """The command of an installation in an environment of its own, whose path holds a blank and other letters."""
    home = tmp_path / "pipx ü/venv"
    venv.create(home, symlinks=True)
    (site,) = home.glob("lib/python*/site-packages")
    shutil.copytree(ROOT / "memorycli", site / "memorycli", ignore=shutil.ignore_patterns("__pycache__"))
    for package in ("memoryserver", "trajectory", "ghap", "capture"):
        (site / package).mkdir()
        for name in ("__init__.py", "local", "common", "client"):
            source = ROOT / package / name
            if source.is_dir():
                shutil.copytree(source, site / package / name, ignore=shutil.ignore_patterns("__pycache__"))
            elif source.exists():
                shutil.copy(source, site / package / name)
    info = site / "mine-1.dist-info"
    info.mkdir()
    (site / "mine.py").write_text(PACKAGE)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: mine\nVersion: 1\n")
    (info / "entry_points.txt").write_text(f"[{resolve.ENTRY_POINTS}]\nmine = mine:config\n")
    return [str(home / "bin/python"), "-I", "-S", str(site / "memorycli/hook/__main__.py")]


def test_installed_hook_works_from_its_own_files_and_finds_observers_of_other_packages(
    installed: list[str], tmp_path: Path
) -> None:
    project = tmp_path / "project"
    project.mkdir()
    environment = {"MEMORYSERVER_HOME": str(tmp_path / "home"), "CLAUDE_PROJECT_DIR": str(project)}
    said = []
    for number in range(2):
        call = {"hook_event_name": "PostToolUse", "session_id": "s", "tool_name": "Bash", "tool_use_id": f"t{number}"}
        event = json.dumps(call | {"tool_input": {"command": f"ls {number}"}, "tool_response": {"stdout": f"{number}"}})
        done = subprocess.run(
            installed, input=event.encode(), env=environment, cwd="/", capture_output=True, check=False
        )
        assert (done.returncode, done.stderr) == (0, b"")
        said.append(done.stdout)
    assert b"Hello." in said[0]
    assert not (tmp_path / "home/logs").exists()
