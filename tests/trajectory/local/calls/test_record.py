"""ToolCallRecord and its form as a row."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from tests.support.rows.tool_calls import failed, ok
from trajectory.local import ToolCallRecord
from trajectory.local.calls import record as records


def test_outcome_follows_from_success_where_it_is_not_given():
    assert [ok().outcome, failed().outcome] == ["ok", "error"]


def test_timestamp_without_a_zone_is_taken_as_utc():
    record = ToolCallRecord("T", "", True, timestamp=datetime(2026, 1, 15))
    assert record.timestamp == datetime(2026, 1, 15, tzinfo=UTC)


def test_row_gives_the_same_record_back():
    record = failed(timestamp=datetime(2026, 1, 15, tzinfo=UTC), paths=("a.py",), call_index=3)
    assert records.from_row(records.to_row(record)) == record


def test_key_of_a_later_version_is_left_aside():
    row = records.to_row(ok())
    assert records.from_row(row | {"brand_new": [1]}) == records.from_row(row)


@pytest.mark.parametrize(
    "damage",
    [{"timestamp": "yesterday"}, {"timestamp": None}, {"outcome": "fine"}, {"paths": 3}, {"tool_name": None}],
)
def test_damaged_row_is_refused(damage):
    with pytest.raises(ValueError, match="not a row of a trajectory"):
        records.from_row(records.to_row(ok()) | damage)


def test_row_without_its_required_keys_is_refused():
    with pytest.raises(ValueError, match="not a row of a trajectory"):
        records.from_row({"call_index": 1})
