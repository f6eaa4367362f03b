from __future__ import annotations

from capture.belief.sources import SOURCES
from capture.local import LEARNING_TYPES
from demo.people import PROJECTS
from demo.sayings import LEARNINGS


def test_every_learning_is_of_a_type_source_and_project_that_exist() -> None:
    assert {kind for _, kind, *_ in LEARNINGS} <= set(LEARNING_TYPES)
    assert {source for *_, source, _ in LEARNINGS} == set(SOURCES)
    assert {project for project, *_ in LEARNINGS} == set(PROJECTS)


def test_no_learning_is_there_twice() -> None:
    contents = [content for _, _, content, *_ in LEARNINGS]
    assert len(set(contents)) == len(contents)
