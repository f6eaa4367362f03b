"""The projects in which agents worked lately."""

from __future__ import annotations

from pathlib import Path

import pytest

from capture.local.service.projects import FORGOTTEN_AFTER, MAX_PROJECTS, Workplaces
from tests.capture.local.queue.test_processor import Clock


@pytest.fixture
def clock() -> Clock:
    return Clock()


def test_root_of_the_project_is_recorded_for_any_of_its_folders(tmp_path: Path, clock: Clock):
    project = tmp_path / "shop"
    (project / ".git").mkdir(parents=True)
    (project / "src").mkdir()
    roots = Workplaces(tmp_path / "x.json", now=clock).record([str(project / "src"), str(project)])
    assert roots == [project]
    assert Workplaces(tmp_path / "x.json", now=clock).roots() == [project]


@pytest.mark.parametrize("folder", ["/nowhere/at/all", "C:\\work", "relative", "", "a\0b", "x" * 5000])
def test_folder_of_another_machine_is_not_recorded(tmp_path: Path, clock: Clock, folder: str):
    assert Workplaces(tmp_path / "x.json", now=clock).record([folder]) == []


def test_missing_project_is_left_out_until_it_is_back(tmp_path: Path, clock: Clock):
    project = tmp_path / "shop"
    project.mkdir()
    places = Workplaces(tmp_path / "x.json", now=clock)
    places.record([str(project)])
    project.rmdir()
    assert places.roots() == []
    project.mkdir()
    assert places.roots() == [project]


def test_oldest_projects_are_removed(tmp_path: Path, clock: Clock):
    projects = [tmp_path / f"p{number}" for number in range(MAX_PROJECTS + 3)]
    places = Workplaces(tmp_path / "x.json", now=clock)
    for project in projects:
        project.mkdir()
        clock.time += 1
        places.record([str(project)])
    assert sorted(places.roots()) == sorted(projects[3:])
    clock.time += FORGOTTEN_AFTER + 1
    places.record([str(projects[0])])
    assert Workplaces(tmp_path / "x.json", now=clock).roots() == [projects[0]]


@pytest.mark.parametrize("content", [b"", b"[]", b'{"/x": "y"}', b"\xff"])
def test_unusable_file_starts_empty(tmp_path: Path, clock: Clock, content: bytes):
    (tmp_path / "x.json").write_bytes(content)
    places = Workplaces(tmp_path / "x.json", now=clock)
    assert places.roots() == []
    assert places.record([str(tmp_path)]) == [tmp_path]
