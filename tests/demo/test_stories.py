from __future__ import annotations

from demo.people import PROJECTS
from demo.stories import STORIES
from ghap.local import Domain, OutcomeStatus, Strategy
from ghap.local.entry import ROOT_CAUSE_CATEGORIES


def test_every_story_uses_the_terms_of_the_journal() -> None:
    assert {story.domain for story in STORIES} <= {domain.value for domain in Domain}
    assert {story.strategy for story in STORIES} <= {strategy.value for strategy in Strategy}
    assert {story.cause[0] for story in STORIES if story.cause} <= set(ROOT_CAUSE_CATEGORIES)
    assert {story.project for story in STORIES} == set(PROJECTS)


def test_every_outcome_occurs_and_a_falsified_story_says_what_was_learned() -> None:
    assert {story.status for story in STORIES} == {status.value for status in OutcomeStatus}
    falsified = [story for story in STORIES if story.status == "falsified"]
    assert [story.goal for story in falsified if not (story.surprise and story.cause)] == []
