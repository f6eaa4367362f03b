"""What people say of a poor hypothesis."""

from __future__ import annotations

import pytest

from ghap import jobs, judgements
from ghap.intake import receive
from ghap.models import Entry
from memoryserver.accounts.models import Project, User
from obslog.models import Observation
from tests.ghap.failures import SubjectEmbedder
from tests.support.rows.ghap_entries import body


@pytest.fixture
def poor(alice: User, shared_project: Project, monkeypatch: pytest.MonkeyPatch) -> Entry:
    monkeypatch.setattr(jobs, "service", SubjectEmbedder)
    monkeypatch.setattr("ghap.intake.service", SubjectEmbedder)
    receive(alice, shared_project, [body(hypothesis="Something is wrong", prediction="It works")])
    jobs.persist_pending()
    return Entry.objects.get()


def test_not_so_gives_the_entry_its_tier_back_and_taking_it_back_lowers_it_again(poor: Entry, bob: User) -> None:
    tiers = [poor.confidence_tier]
    for is_poor in (False, True):
        judgements.dispute(bob, poor.pk, poor=is_poor)
        jobs.assess_outdated()
        tiers.append(Entry.objects.get().confidence_tier)

    assert tiers == ["bronze", "silver", "bronze"]
    assert Entry.objects.get().quality_reasons != []


def test_it_is_said_by_whom_and_logged_once(poor: Entry, bob: User) -> None:
    for _ in range(2):
        judgements.dispute(bob, poor.pk, poor=False)

    assert Entry.objects.get().not_poor_by == bob
    assert Observation.objects.filter(type="ghap.quality_disputed").count() == 1


def test_stranger_says_nothing(poor: Entry, charlie: User) -> None:
    assert judgements.dispute(charlie, poor.pk, poor=False) is None
    assert Entry.objects.get().not_poor_by is None
