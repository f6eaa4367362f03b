"""A plain list of observations, against which the log's queries are compared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from memoryserver.accounts.models import User
from obslog import log
from obslog.cursor import Order
from obslog.incoming import NewObservation
from obslog.query import Filter
from tests.support.examples import examples
from tests.support.rows.observations import MOMENT

TYPES = ["task.updated", "task.done", "memory.extracted"]


SOURCES = ["agent:a", "agent:ab", "agent:a%", "agent:a_", "agent:a\\", "agents:a", "plugin:a", "agent:é", "Agent:a"]


SCOPES = ["t1", "t2", "%", "_", "\\", "t1 ", "é", "it's", '"', "a,b", "{}"]


TIMES = st.integers(MOMENT, MOMENT + 5) | st.sampled_from(
    [1_577_836_800_000, 1_600_000_000_000, MOMENT + 40 * 86_400_000]
)


observations = st.builds(
    NewObservation,
    type=st.sampled_from(TYPES),
    source=st.sampled_from(SOURCES),
    message=st.just("moved on"),
    scope_ids=st.lists(st.sampled_from(SCOPES), max_size=4),
    created_at=TIMES,
)


filters = st.builds(
    Filter,
    type=st.none() | st.sampled_from([*TYPES, "task"]),
    source=st.none() | st.sampled_from([*SOURCES, "", "a", "agent", "agent:", "agent:%", "agent:_", ":", "plugin:"]),
    scope_ids=st.lists(st.sampled_from([*SCOPES, "nothing"]), max_size=3),
    after_date=st.none() | TIMES | st.sampled_from([-1, 2**60]),
    before_date=st.none() | TIMES | st.sampled_from([-1, 2**60]),
)


orders: st.SearchStrategy[Order] = st.sampled_from(["asc", "desc"])


@dataclass(frozen=True)
class Plain:
    """An observation of the list that stands against the log."""

    id: Any
    new: NewObservation

    def matches(self, wanted: Filter) -> bool:
        moment = self.new.created_at
        assert moment is not None
        return (
            (wanted.type is None or self.new.type == wanted.type)
            and (wanted.source is None or self.new.source.startswith(wanted.source))
            and (not wanted.scope_ids or bool(set(wanted.scope_ids) & set(self.new.scope_ids)))
            and (wanted.after_date is None or moment >= wanted.after_date)
            and (wanted.before_date is None or moment < wanted.before_date)
        )


def matching(entries: list[Plain], wanted: Filter, order: Order = "asc") -> list[Any]:
    found = [entry for entry in entries if entry.matches(wanted)]
    found.sort(key=lambda entry: (entry.new.created_at, entry.id), reverse=order == "desc")
    return [entry.id for entry in found]


def ids(page: log.Page) -> list[Any]:
    return [row.id for row in page.observations]


def appended(user: User, news: list[NewObservation]) -> list[Plain]:
    receipts = log.append_all(user, news)
    return [Plain(receipt.id, new) for receipt, new in zip(receipts, news, strict=True)]


any_inputs = settings(
    max_examples=examples(40), suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
