"""What becomes of stored entries when their hypothesis is judged."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from ghap import assessor, jobs
from ghap.intake import receive
from ghap.models import Entry
from ghap.quality import VERSION
from memoryserver.accounts.models import User
from memoryserver.embedding import Vector
from memoryserver.vectors.models import Record
from obslog.models import Observation
from tests.support.embedder import WordEmbedder
from tests.support.rows.ghap_entries import RESOLVED, body

POOR: dict[str, Any] = {"hypothesis": "Something is wrong", "prediction": "It should work"}


def outcome(status: str, *, auto_captured: bool = False) -> dict[str, Any]:
    return {
        "status": status,
        "result": "see above",
        "captured_at": RESOLVED.isoformat(),
        "auto_captured": auto_captured,
    }


def persisted(user: User, **changes: Any) -> Entry:
    receive(user, None, [body(**changes)])
    jobs.persist_pending()
    return Entry.objects.get(user=user, ghap_id=changes.get("id", body()["id"]))


def told_tiers() -> set[str]:
    return {record.payload["confidence_tier"] for record in Record.objects.all()}


def make_outdated() -> None:
    """As if an older version of the rules had judged all, and had found nothing."""
    Entry.objects.update(quality_version=0, quality_score=1.0, quality_reasons=[], confidence_tier="silver")


@pytest.mark.parametrize(("tier", "auto_captured"), [("gold", True), ("silver", False)])
def test_poor_hypothesis_lowers_the_tier_to_bronze_and_keeps_the_one_it_came_with(
    alice: User, tier: str, auto_captured: bool
) -> None:
    row = persisted(alice, **POOR, confidence_tier=tier, outcome=outcome("confirmed", auto_captured=auto_captured))

    assert (row.collector_tier, row.confidence_tier) == (tier, "bronze")
    assert (row.quality_score, row.quality_version) == (0.2, VERSION)
    assert [reason["kind"] for reason in row.quality_reasons] == ["vague", "unfalsifiable"]
    assert told_tiers() == {"bronze"}


def test_poor_entry_without_a_tier_gets_bronze(alice: User) -> None:
    row = persisted(alice, **POOR, confidence_tier=None)

    assert (row.collector_tier, row.confidence_tier) == ("silver", "bronze")


def test_good_hypothesis_keeps_its_tier(alice: User) -> None:
    row = persisted(alice)

    assert (row.collector_tier, row.confidence_tier, row.quality_reasons) == ("silver", "silver", [])
    assert row.quality_score == 0.9
    assert told_tiers() == {"silver"}


def test_abandoned_entry_is_scored_and_stays_abandoned(alice: User) -> None:
    row = persisted(alice, **POOR, confidence_tier="abandoned", outcome=outcome("abandoned"))

    assert (row.confidence_tier, row.quality_score) == ("abandoned", 0.2)
    assert told_tiers() == {"abandoned"}


def test_entry_as_the_laptop_sent_it_is_not_touched(alice: User) -> None:
    row = persisted(alice, **POOR)

    assert row.body == body(**POOR)


def test_entry_sent_again_with_a_better_hypothesis_gets_its_tier_back(alice: User) -> None:
    persisted(alice, **POOR)

    row = persisted(alice)

    assert (row.confidence_tier, row.quality_reasons) == ("silver", [])
    assert told_tiers() == {"silver"}


def test_entry_sent_again_counts_by_its_collector_until_it_is_judged(alice: User) -> None:
    persisted(alice)
    receive(alice, None, [body(**POOR)])

    row = Entry.objects.get()
    assert (row.confidence_tier, row.quality_score, row.quality_version) == ("silver", None, 0)


def test_lowering_a_tier_costs_no_embedding_of_the_axes(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    texts: list[str] = []

    class Counting(WordEmbedder):
        def embed_batch(self, given: Sequence[str]) -> list[Vector]:
            texts.extend(given)
            return super().embed_batch(given)

    monkeypatch.setattr(jobs, "service", Counting)
    persisted(alice, hypothesis="Something is wrong", prediction="Build exits 0")

    assert [text.partition(":")[0] for text in texts] == ["Goal", "Strategy"]


def test_older_assessments_are_made_again(alice: User) -> None:
    persisted(alice, **POOR)
    persisted(alice, id="ghap_20261120_143023_a1b2c4")
    make_outdated()

    assert jobs.assess_outdated() == 2

    assert dict(Entry.objects.values_list("ghap_id", "confidence_tier")) == {
        body()["id"]: "bronze",
        "ghap_20261120_143023_a1b2c4": "silver",
    }
    assert told_tiers() == {"bronze", "silver"}


def test_log_says_from_what_an_outcome_was_corrected(alice: User) -> None:
    earlier = {**body()["outcome"], "status": "falsified"}
    persisted(alice, earlier_outcomes=[earlier])

    said = Observation.objects.get(type="ghap.persisted").message
    assert said == f"persisted {body()['id']} (confirmed, corrected from falsified)"


def test_second_run_finds_nothing_to_do(alice: User) -> None:
    persisted(alice, **POOR)
    make_outdated()
    jobs.assess_outdated()

    assert jobs.assess_outdated() == 0


def test_entry_that_is_not_persisted_yet_is_left_to_its_persisting(alice: User) -> None:
    receive(alice, None, [body(**POOR)])

    assert jobs.assess_outdated() == 0


def test_run_that_is_cut_off_is_gone_on_with(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(assessor, "_BATCH", 2)
    for number in range(5):
        persisted(alice, id=f"ghap_20261120_14302{number}_a1b2c3", **POOR)
    make_outdated()

    done = [assessor.assess_outdated(WordEmbedder(), limit=3) for _ in range(3)]

    assert done == [3, 2, 0]
    assert set(Entry.objects.values_list("confidence_tier", flat=True)) == {"bronze"}


def test_content_that_changed_meanwhile_is_not_overwritten(alice: User) -> None:
    persisted(alice, **POOR)
    stale = Entry.objects.get()
    receive(alice, None, [body()])

    assessor.assess_rows([stale], WordEmbedder())

    row = Entry.objects.get()
    assert (row.confidence_tier, row.quality_version) == ("silver", 0)
