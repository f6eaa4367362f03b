"""Where agents worked lately."""

from __future__ import annotations

from pathlib import Path

import pytest

from capture.local.service.projects import FORGOTTEN_AFTER, MOST, Workplaces
from tests.capture.local.queue.test_processor import Clock


@pytest.fixture
def clock() -> Clock:
    return Clock()


def test_the_root_of_the_project_is_kept_whatever_folder_of_it_was_worked_in(tmp_path: Path, clock: Clock):
    project = tmp_path / "shop"
    (project / ".git").mkdir(parents=True)
    (project / "src").mkdir()
    noted = Workplaces(tmp_path / "x.json", now=clock).note([str(project / "src"), str(project)])
    assert noted == [project]
    assert Workplaces(tmp_path / "x.json", now=clock).roots() == [project]


@pytest.mark.parametrize("folder", ["/nowhere/at/all", "C:\\work", "relative", "", "a\0b", "x" * 5000])
def test_a_folder_of_another_machine_is_none(tmp_path: Path, clock: Clock, folder: str):
    assert Workplaces(tmp_path / "x.json", now=clock).note([folder]) == []


def test_one_that_is_gone_is_passed_over_and_back_when_it_is_back(tmp_path: Path, clock: Clock):
    project = tmp_path / "shop"
    project.mkdir()
    places = Workplaces(tmp_path / "x.json", now=clock)
    places.note([str(project)])
    project.rmdir()
    assert places.roots() == []
    project.mkdir()
    assert places.roots() == [project]


def test_the_oldest_go(tmp_path: Path, clock: Clock):
    projects = [tmp_path / f"p{number}" for number in range(MOST + 3)]
    places = Workplaces(tmp_path / "x.json", now=clock)
    for project in projects:
        project.mkdir()
        clock.time += 1
        places.note([str(project)])
    assert sorted(places.roots()) == sorted(projects[3:])
    clock.time += FORGOTTEN_AFTER + 1
    places.note([str(projects[0])])
    assert Workplaces(tmp_path / "x.json", now=clock).roots() == [projects[0]]


@pytest.mark.parametrize("content", [b"", b"[]", b'{"/x": "y"}', b"\xff"])
def test_a_file_that_cannot_be_used_begins_anew(tmp_path: Path, clock: Clock, content: bytes):
    (tmp_path / "x.json").write_bytes(content)
    places = Workplaces(tmp_path / "x.json", now=clock)
    assert places.roots() == []
    assert places.note([str(tmp_path)]) == [tmp_path]
