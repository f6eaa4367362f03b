from __future__ import annotations

import random
from datetime import timedelta

import pytest
from django.utils import timezone

from capture.models import CaptureFailure, Learning
from demo import people, surroundings
from ghap.unresolved import open_entries
from memoryserver.access import laptops
from memoryserver.access.models import Laptop
from memoryserver.inquiries.models import Inquiry
from tests.demo.test_seed import worked_of


def test_of_the_laptops_one_is_silent_one_too_old_and_one_without_capture(db: None) -> None:
    now = timezone.now()
    surroundings.laptops(people.create("open sesame please"), now)
    rows = Laptop.objects.order_by("name")
    assert [row.name for row in rows if now - row.seen_at > timedelta(days=7)] == ["dan-framework"]
    assert [row.name for row in rows if laptops.is_too_old(row.version)] == ["carol-xps"]
    assert [row.name for row in rows if not row.capture_runs] == ["carol-tower"]


def test_one_file_waits_after_two_attempts_and_one_was_stored(db: None) -> None:
    surroundings.failed_files(people.create("open sesame please"), timezone.now())
    rows = CaptureFailure.objects.order_by("pk").select_related("user")
    seen = [(row.user.get_username(), row.times, row.resolved_at is None) for row in rows]
    assert seen == [("bob", 2, True), ("carol", 1, False)]


def test_entries_are_open_for_everybody_in_the_team(db: None) -> None:
    team = people.create("open sesame please")
    surroundings.unresolved(team, timezone.now())
    seen = open_entries.visible(team.users["alice"]).order_by("-created_at")
    assert [row.user.get_username() for row in seen] == ["bob", "dan"]


def test_answers_have_only_what_was_learned_before_they_were_asked(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(surroundings, "INQUIRIES", 40)
    team, now = people.create("open sesame please"), timezone.now()
    worked = worked_of(team, now)
    fields = {"type": "gotcha", "confidence": 0.9, "user": team.users["alice"], "project": worked[0].project}
    old, _ = (
        Learning.objects.create(content=str(moment), first_seen=moment, last_seen=moment, **fields)
        for moment in (now - timedelta(days=30), now)
    )
    surroundings.inquiries(worked, now, random.Random(3))
    assert Inquiry.objects.count() == 40
    assert max(Inquiry.objects.values_list("asked_at", flat=True)) <= now
    named = {name for documents in Inquiry.objects.values_list("documents", flat=True) for name in documents}
    assert named == {f"learnings/{old.pk}"}
    assert {row.agent_session for row in Inquiry.objects.filter(way="agent")} == {one.session_id for one in worked}
