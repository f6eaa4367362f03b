"""How many failures came in a row, carried from call to call so that nobody has to count back.

A row knows `streak`, the number of failed decisions in a row up to it, `streak_from`, the index of the call
with which they began, and `streak_batch`, the batch that was counted last: parallel calls are one decision,
so siblings that fail together count once, and one that succeeds ends the streak. A report of failing tests or
of a build is neither: whether those get fewer is what counts in them.
"""

from __future__ import annotations

from collections.abc import Mapping

from trajectory.local import outcome


def extend(last: Mapping[str, object] | None, row: Mapping[str, object]) -> dict[str, object]:
    """The streak after `row`, which follows `last`; both are rows, `row` has its outcome and call_index."""
    before = last or {}
    count, began, counted = (before.get(key) for key in ("streak", "streak_from", "streak_batch"))
    count, began = (value if isinstance(value, int) else 0 for value in (count, began))
    batch = row.get("batch_id") or ""
    came_out = row.get("outcome")
    if came_out in outcome.NEUTRAL or row.get("failures") is not None:
        return {"streak": count, "streak_from": began, "streak_batch": counted or ""}
    if came_out != outcome.ERROR:
        return {"streak": 0, "streak_from": 0, "streak_batch": batch}
    if not batch or batch != counted:
        count, began = count + 1, began or row["call_index"]
    return {"streak": count, "streak_from": began, "streak_batch": batch}
