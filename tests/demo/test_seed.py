from __future__ import annotations

import random
from datetime import datetime, timedelta

import pytest
from django.utils import timezone

from capture.belief import rules
from capture.models import CaptureState, Learning, LearningSource
from demo import people, seed
from demo.people import DemoTeam
from demo.sayings import LEARNINGS, PROVISIONAL
from demo.stories import ETL, SHOP, STORIES
from demo.surroundings import Worked
from ghap.models import Entry, Failure
from obslog.models import Observation
from trajectory.models import AssessmentRecord, Trajectory


def test_sessions_have_calls_findings_and_learnings_and_one_is_stuck_now(
    db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(seed, "SESSIONS", 3)
    now = timezone.now()
    worked = seed.sessions(people.create("open sesame please"), now, random.Random(3))
    assert Trajectory.objects.count() == 4
    assert {session.session_id for session in worked} == {
        row.session_id for row in Trajectory.objects.exclude(ended_at=None)
    }
    running = Trajectory.objects.running()
    assert [(row.worst, row.last_call_at) for row in running] == [("warning", now)]
    assert CaptureState.objects.count() == 4
    assert len(PROVISIONAL) < Learning.objects.count() <= len(LEARNINGS) + len(PROVISIONAL)
    assert {row.content for row in rules.provisional(Learning.objects.all())} == {saying[2] for saying in PROVISIONAL}
    assert not LearningSource.objects.filter(quote="").exists()
    assert AssessmentRecord.objects.exclude(told_at_call=None).exists()


def worked_of(team: DemoTeam, now: datetime) -> list[Worked]:
    """A session in each project, of three people."""
    begun = [now - timedelta(days=days, hours=1) for days in (1, 20, 40)]
    projects = zip(team.projects.values(), team.users.values(), begun, strict=False)
    return [
        Worked(user, project, f"s-{project.pk}", moment, moment + timedelta(minutes=30))
        for project, user, moment in projects
    ]


def test_entries_are_of_the_last_weeks_and_have_all_that_a_story_says(db: None) -> None:
    now = timezone.now()
    worked = worked_of(people.create("open sesame please"), now)
    seed.entries(worked, random.Random(3))
    assert Entry.objects.count() == int(len(STORIES) * seed.REPEATED)
    oldest, newest = Entry.objects.order_by("captured_at")[0], Entry.objects.order_by("-captured_at")[0]
    assert now - timedelta(weeks=seed.WEEKS, days=1) < oldest.captured_at <= newest.captured_at < now
    assert Entry.objects.filter(body__has_key="lesson").exists()
    assert {(row.user, row.agent_session) for row in Entry.objects.all()} == {
        (session.user, session.session_id) for session in worked
    }
    assert Observation.objects.filter(type="task.updated").count() == Entry.objects.count()


def test_failures_have_names_and_states(db: None) -> None:
    team, now = people.create("open sesame please"), timezone.now()
    for number, size in enumerate((4, 3, 3, 2)):
        Failure.objects.create(
            project=team.projects[SHOP if number == 0 else ETL], size=size, weight=1.0, first_seen=now, last_seen=now
        )
    seed.failures(team, random.Random(3))
    rows = Failure.objects.order_by("pk")
    assert [(row.name, row.state) for row in rows] == [
        ("Webhook signatures over a re-serialised body", "known"),
        ("", "regressed"),
        ("", "solved"),
        ("", "open"),
    ]
