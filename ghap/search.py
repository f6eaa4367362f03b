"""GHAP entries as a source of search."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ghap import reading
from ghap.axes import AXES, summary
from ghap.local import ConfidenceTier, Domain, OutcomeStatus, Strategy
from ghap.models import Entry
from memoryserver.home.addresses import address_of
from memoryserver.search.sources import Description, Filter, Source
from memoryserver.vectors.models import Record


def describe(records: Sequence[Record]) -> Mapping[int, Description]:
    """Describe each entry by its goal and what it taught; deleted ones have no description."""
    entries = Entry.objects.filter(
        user__in={record.user_id for record in records}, ghap_id__in={record.key for record in records}
    )
    by_key = {(entry.user_id, entry.ghap_id): entry for entry in entries}
    return {
        record.pk: _description(by_key[record.user_id, record.key])
        for record in records
        if (record.user_id, record.key) in by_key
    }


def _description(entry: Entry) -> Description:
    return Description(
        title=entry.goal,
        kind=f"{entry.outcome_status} {entry.domain}",
        text=summary(entry.entry),
        origin={"entry": entry.ghap_id, "session": entry.session_id, "tier": entry.confidence_tier},
        size=len(reading.text_of(entry)),
        page=address_of("ghap-entry", entry.pk),
    )


SOURCE = Source(
    name=reading.SOURCE,
    collections={f"ghap_{axis}": axis for axis in AXES},
    describe=describe,
    filters={
        "domain": Filter("domain", [domain.value for domain in Domain]),
        "strategy": Filter("strategy", [strategy.value for strategy in Strategy]),
        "outcome": Filter("outcome_status", [status.value for status in OutcomeStatus]),
        "tier": Filter("confidence_tier", [tier.value for tier in ConfidenceTier]),
    },
    read=reading.read,
    near=reading.near,
    has_turns=False,
)
