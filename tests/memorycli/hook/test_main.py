"""The file of the hook's command, run by its path from any folder."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[3] / "memorycli/hook/__main__.py"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MEMORYSERVER_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def run(data: bytes, folder: Path) -> tuple[int, bytes, bytes]:
    process = subprocess.run(
        [sys.executable, "-I", "-S", str(SCRIPT)], input=data, capture_output=True, check=False, cwd=folder
    )
    return process.returncode, process.stdout, process.stderr


def test_package_is_found_beside_the_file(home: Path, tmp_path: Path) -> None:
    assert run(b'{"hook_event_name": "Notification"}', tmp_path) == (0, b"", b"")
    assert not (home / "logs").exists()


def test_package_of_the_same_name_in_the_folder_is_not_taken(tmp_path: Path) -> None:
    (tmp_path / "memorycli").mkdir()
    (tmp_path / "memorycli/__init__.py").write_text("raise SystemExit(3)")

    assert run(b'{"hook_event_name": "Notification"}', tmp_path) == (0, b"", b"")


def test_bad_input_is_logged_and_ends_with_status_0(home: Path, tmp_path: Path) -> None:
    assert run(b"not JSON", tmp_path) == (0, b"", b"")
    assert (home / "logs/hook.log").read_text().count("\n") == 1


def test_import_of_the_file_runs_nothing() -> None:
    process = subprocess.run(
        [sys.executable, "-c", "import memorycli.hook.__main__, sys; print('memorycli.hook.events' in sys.modules)"],
        capture_output=True,
        check=True,
        cwd=SCRIPT.parents[2],
    )
    assert process.stdout == b"False\n"
