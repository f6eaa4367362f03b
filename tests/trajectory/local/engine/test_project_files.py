"""The project's folder as a filesystem."""

from __future__ import annotations

import subprocess

import pytest

from trajectory.local import ProjectFiles

PATH = ".wink/trajectory/assessment.md"


@pytest.fixture(autouse=True)
def _default_folder(monkeypatch):
    monkeypatch.delenv("MEMORYSERVER_TRAJECTORY_DIR", raising=False)


def test_made_folders_stay_out_of_git(tmp_path):
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    files = ProjectFiles(tmp_path)
    files.mkdir(".wink/trajectory", parents=True)
    files.write_text(PATH, "x")
    status = subprocess.run(["git", "-C", tmp_path, "status", "--porcelain", "-uall"], check=True, capture_output=True)
    assert status.stdout == b""
    assert files.read_text(PATH) == "x"


def test_folder_that_the_project_had_before_keeps_what_git_sees(tmp_path):
    (tmp_path / ".wink").mkdir()
    ProjectFiles(tmp_path).mkdir(".wink/trajectory", parents=True)
    assert not (tmp_path / ".wink/.gitignore").exists()
    assert (tmp_path / ".wink/trajectory/.gitignore").read_text() == "*\n"


def test_missing_project_is_not_made(tmp_path):
    with pytest.raises(FileNotFoundError, match="does not exist"):
        ProjectFiles(tmp_path / "gone").mkdir(".wink/trajectory", parents=True)
    assert not (tmp_path / "gone").exists()


def test_folder_for_assessments_can_be_set(tmp_path, monkeypatch):
    monkeypatch.setenv("MEMORYSERVER_TRAJECTORY_DIR", str(tmp_path / "elsewhere"))
    (tmp_path / "project").mkdir()
    files = ProjectFiles(tmp_path / "project")
    files.mkdir(".wink/trajectory", parents=True)
    files.write_text(PATH, "x")
    assert (tmp_path / "elsewhere/assessment.md").read_text() == "x"
    assert list((tmp_path / "project").iterdir()) == []
