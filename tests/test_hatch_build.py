"""The wheel of the client alone: in an empty virtual environment it does everything, up to delivery."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
import zipfile
from pathlib import Path
from typing import Any

import pytest
from pytest_django.live_server_helper import LiveServer

from ghap.models import Entry
from memoryserver.accounts import tokens
from memoryserver.accounts.models import User
from trajectory.models import ToolCall

ROOT = Path(__file__).resolve().parents[1]
BUILD = "import sys; from hatchling.build import build_wheel; build_wheel(sys.argv[1])"
START = [
    "ghap", "start", "--domain", "debugging", "--strategy", "read-the-error", "--goal", "Stop the export from hanging",
    "--hypothesis", "It waits for a lock", "--action", "Set lock_timeout", "--prediction", "It fails within a minute",
]  # fmt: skip


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder into which both wheels were built."""
    folder = tmp_path_factory.mktemp("wheels")
    subprocess.run([sys.executable, "-c", BUILD, str(folder)], cwd=ROOT, check=True, capture_output=True)
    return folder


@pytest.fixture(scope="module")
def client(wheels: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of a virtual environment that has the client's wheel and nothing else."""
    folder = tmp_path_factory.mktemp("laptop") / "env"
    venv.create(folder, symlinks=True)
    (wheel,) = wheels.glob("memorycli-*.whl")
    pip = [sys.executable, "-m", "pip", "--python", str(folder / "bin/python"), "install", "--quiet", "--no-index"]
    subprocess.run([*pip, "--disable-pip-version-check", str(wheel)], check=True, capture_output=True)
    return folder / "bin"


def test_build_gives_a_wheel_of_each_side(wheels: Path) -> None:
    assert sorted(path.name.partition("-")[0] for path in wheels.iterdir()) == ["memorycli", "memoryserver"]


def test_client_wheel_has_the_laptops_packages_and_no_required_dependency(wheels: Path) -> None:
    (wheel,) = wheels.glob("memorycli-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = [name for name in archive.namelist() if ".dist-info/" not in name]
        (metadata,) = (name for name in archive.namelist() if name.endswith("/METADATA"))
        required = [line for line in archive.read(metadata).decode().splitlines() if line.startswith("Requires-Dist: ")]
    rooms = {name.rpartition("/")[0].split("/")[1] for name in names if name.count("/") > 1}
    assert {name.partition("/")[0] for name in names} == {"memorycli", "memoryserver", "ghap", "trajectory", "capture"}
    assert rooms == {
        *(
            "agents",
            "arguments",
            "commands",
            "delivery",
            "doctor",
            "hook",
            "installation",
            "mcp",
            "reading",
            "rendering",
        ),
        *("client", "common", "local"),
    }
    assert [line for line in required if "extra ==" not in line] == []


def test_server_wheel_has_all_pages_and_their_files_and_the_program(wheels: Path) -> None:
    (wheel,) = wheels.glob("memoryserver-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        (entry_points,) = (name for name in names if name.endswith("/entry_points.txt"))
        programs = archive.read(entry_points).decode().split("\n")
    files = [path for folder in ("templates", "static") for path in (ROOT / folder).rglob("*") if path.is_file()]
    migrations = list(ROOT.glob("*/migrations/0*.py"))
    missing = [path for path in files if f"memoryserver/{path.relative_to(ROOT).as_posix()}" not in names]
    missing += [path for path in migrations if path.relative_to(ROOT).as_posix() not in names]
    assert (missing, len(files) > 100, len(migrations) > 10) == ([], True, True)
    assert "memoryserver = memoryserver.ops.management.program:main" in programs


def test_client_wheel_has_one_program(wheels: Path) -> None:
    (wheel,) = wheels.glob("memorycli-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        (entry_points,) = (name for name in archive.namelist() if name.endswith("/entry_points.txt"))
        assert archive.read(entry_points).decode().split() == [
            "[console_scripts]",
            "memory",
            "=",
            "memorycli.main:main",
        ]


@pytest.mark.django_db(transaction=True)
def test_client_alone_runs_help_a_hook_the_journal_and_sync(
    client: Path, live_server: LiveServer, alice: User, tmp_path: Path
) -> None:
    project = tmp_path / "project"
    (project / ".git").mkdir(parents=True)
    _, token = tokens.issue(alice, "laptop")
    environment = {
        "PATH": f"{client}:/usr/bin:/bin",
        "HOME": str(tmp_path),
        "MEMORYSERVER_HOME": str(tmp_path / "home"),
        "MEMORYSERVER_URL": live_server.url,
        "MEMORYSERVER_TOKEN": token,
        "LANG": os.environ.get("LANG", "C.UTF-8"),
    }

    def memory(*words: str, stdin: str = "") -> str:
        process = subprocess.run(
            [str(client / "memory"), *words],
            input=stdin,
            env=environment,
            cwd=project,
            capture_output=True,
            text=True,
            check=False,
        )
        assert (process.returncode, process.stderr) == (0, "")
        return process.stdout

    event: dict[str, Any] = {"hook_event_name": "PostToolUse", "session_id": "s", "cwd": str(project)}
    event |= {
        "tool_name": "Bash",
        "tool_use_id": "t1",
        "tool_input": {"command": "ls"},
        "tool_response": {"stdout": "a"},
    }

    assert memory("--help").startswith("usage: memory ")
    assert memory("hook", stdin=json.dumps(event)) == ""
    entry = json.loads(memory(*START, "--json"))
    memory("ghap", "resolve", "confirmed", "--result", "It failed after 30 s")
    memory("sync")
    assert list(Entry.objects.values_list("ghap_id", "user")) == [(entry["id"], alice.pk)]
    assert list(ToolCall.objects.values_list("tool_name", "user")) == [("Bash", alice.pk)]
