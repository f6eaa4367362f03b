"""Questions of what somebody found out about something."""

from __future__ import annotations

import pytest

from memoryserver.accounts.models import Project, User
from memoryserver.search.questions.framing import Framed, parsed, unframed


@pytest.mark.parametrize(
    ("query", "topic", "who"),
    [
        ("what did Ana find out about the import", "the import", "Ana"),
        ("What did ana learn about the csv import delimiter?", "the csv import delimiter", "ana"),
        ("what has Ben found out about yen", "yen", "Ben"),
        ("did Ana find out anything about the import", "the import", "Ana"),
        ("tell me everything that Ana knows about ports", "ports", "Ana"),
        ("Ana's findings on the import?", "the import", "Ana"),
        ("what do we know about the import", "the import", ""),
        ("what is known about the import", "the import", ""),
        ("was hat Ana über den Import herausgefunden?", "Import", "Ana"),
        ("Was weiß Ben zu Rundung", "Rundung", "Ben"),
        ("Was wissen wir über den Import?", "Import", ""),
        ("was ist über den Import bekannt", "Import", ""),
    ],
)
def test_frame_is_told_from_the_topic_and_the_person(query: str, topic: str, who: str) -> None:
    assert parsed(query) == Framed(topic, who)


@pytest.mark.parametrize(
    "query",
    [
        "why did the import fail",
        "what did Marcus sign up for",
        "what do we know about",
        "what do we know about ?",
        "what did we say on Monday",
        "what did we find on 3 May",
        "about the import",
    ],
)
def test_other_questions_have_no_frame(query: str) -> None:
    assert parsed(query) is None


def test_person_is_looked_for_among_team_mates_by_both_names(
    alice: User, bob: User, charlie: User, shared_project: Project
) -> None:
    User.objects.filter(pk=bob.pk).update(first_name="Robert")

    def named(who: str) -> tuple[str, frozenset[int]]:
        return unframed(f"what did {who} find out about the import", alice)

    assert named("Bob") == named("robert") == ("the import", frozenset({bob.pk}))
    assert named("I") == named("alice") == ("the import", frozenset({alice.pk}))
    assert named("we") == ("the import", frozenset())
    assert named("charlie") == ("what did charlie find out about the import", frozenset())
