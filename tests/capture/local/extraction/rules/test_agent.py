"""The agent's rules together: the first that holds wins, whatever else a sentence says."""

from __future__ import annotations

import pytest

from capture.local.extraction.rules.agent import AGENT_RULES
from capture.local.transcripts.messages import Role
from tests.capture.local.extraction.rules.spoken import types_of


@pytest.mark.parametrize(
    ("kind", "sentence"),
    [
        ("handoff", "Handoff: the root cause was that `parse()` drops the zone."),
        ("security", "The key insight was the SQL injection in `search.py` through the sort parameter."),
        ("breakthrough", "The key insight was that the latency of `web` fell from 4 s to 1 s."),
        ("solution", "Fixed the crash in `import.py` by checking that the header must come first."),
    ],
)
def test_first_kind_that_holds_wins(kind: str, sentence: str) -> None:
    assert types_of(Role.AGENT, sentence) == [kind]


def test_agents_rules_give_no_type_that_only_people_give() -> None:
    assert {rule.type for rule in AGENT_RULES.rules} == {
        "breakthrough",
        "checkpoint",
        "convention",
        "decision",
        "error_recovery",
        "gotcha",
        "handoff",
        "learning",
        "optimization",
        "outcome",
        "refactoring",
        "security",
        "solution",
        "test",
    }


def test_same_sentence_of_a_person_is_judged_by_other_rules() -> None:
    sentence = "Always run the linter before committing to `main`."
    assert (types_of(Role.PERSON, sentence), types_of(Role.AGENT, sentence)) == (["preference"], [])
