"""With which precision it is said when hits are from."""

from __future__ import annotations

from memorycli.reading.hit_times import of


def test_time_is_added_where_another_hit_has_the_same_date() -> None:
    created = ["2026-11-29T15:46:14.123Z", "2026-11-28T15:46:14Z", "2026-11-29T15:50:43Z"]

    assert of([{"created_at": time} for time in created]) == ["2026-11-29 15:46", "2026-11-28", "2026-11-29 15:50"]
