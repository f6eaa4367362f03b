"""Relates a row to the calls before it: how often it occurred already, and how many failed in a row.

A row has
    repeats       how often the call, its result, its error or the state that it left behind was there among the last
                  thirty calls, 1 for what is new
    same          how often this very call gave this very result, however long ago that began, as long as no thirty
                  calls lie between two of them; siblings of a batch count once
    streak        the number of failed decisions in a row up to it
    streak_from   the index of the call with which they began
    streak_batch  the batch that was counted last

Parallel calls are one decision, so siblings that fail together count once in a streak, and one that succeeds ends it,
as does a run of tests or a build without a failure. A report of failing ones does neither: whether those get fewer is
what counts in them; nor does a call that waits. When a person speaks, which begins a turn, all counts begin again.

They are carried with the row, so that a call which nobody has to look at is known to be one without any observer.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from trajectory.local import outcome

WITHIN = 30  # calls
_OF_TOOL, _OF_ANY = ("args_hash", "result_key"), ("error_key", "failing")


def relations(earlier: Sequence[Mapping[str, object]], row: Mapping[str, object]) -> dict[str, object]:
    """Return all of these fields for `row`, which has its call_index; `earlier` are those before it, oldest first."""
    turn = row.get("turn") or ""
    in_turn = [previous for previous in earlier[-WITHIN:] if (previous.get("turn") or "") == turn]
    counts = {"repeats": repeats(in_turn, row), "same": _same(in_turn, row)}
    return counts | streak(earlier[-1] if earlier else None, row)


def _same(earlier: Sequence[Mapping[str, object]], row: Mapping[str, object]) -> int:
    if not (row.get("args_hash") and row.get("result_key")):
        return 1
    arguments, result, tool = row["args_hash"], row["result_key"], row.get("tool_name")
    for previous in reversed(earlier):
        get = previous.get
        if get("args_hash") == arguments and get("result_key") == result and get("tool_name") == tool:
            count, batch = previous.get("same"), row.get("batch_id")
            is_sibling = bool(batch) and previous.get("batch_id") == batch
            return max(count if isinstance(count, int) else 1, 1) + (not is_sibling)
    return 1


def repeats(earlier: Iterable[Mapping[str, object]], row: Mapping[str, object]) -> int:
    """Return the highest count among the marks of `row`, itself included; `earlier` are the calls before it."""
    counted = dict.fromkeys(marks(row), 1)
    values = [mark[-1] for mark in counted]
    for previous in earlier:
        # Most calls share nothing with this one, which is seen sooner than their marks are made.
        get = previous.get
        if not (
            get("args_hash") in values
            or get("result_key") in values
            or get("error_key") in values
            or get("failing") in values
            or get("edits")
        ):
            continue
        for mark in marks(previous):
            if mark in counted:
                counted[mark] += 1
    return max(counted.values(), default=1)


def streak(last: Mapping[str, object] | None, row: Mapping[str, object]) -> dict[str, object]:
    """Return the three fields of the streak after `row`, which follows `last`; `row` has its outcome and call_index."""
    before = last if last and (last.get("turn") or "") == (row.get("turn") or "") else {}
    count, began, counted = (before.get(key) for key in ("streak", "streak_from", "streak_batch"))
    count, began = (value if isinstance(value, int) else 0 for value in (count, began))
    batch = row.get("batch_id") or ""
    came_out = row.get("outcome")
    if (
        came_out in outcome.NEUTRAL
        or row.get("failures")
        or (came_out == outcome.ERROR and (row.get("polls") or row.get("failures") is not None))
    ):
        return {"streak": count, "streak_from": began, "streak_batch": counted or ""}
    if came_out != outcome.ERROR:
        return {"streak": 0, "streak_from": 0, "streak_batch": batch}
    if not batch or batch != counted:
        count, began = count + 1, began or row["call_index"]
    return {"streak": count, "streak_from": began, "streak_batch": batch}


def marks(row: Mapping[str, object]) -> list[tuple[object, ...]]:
    """Return what makes the row the same as another: its call, result, error, failing tests, states of files.

    A field without a value makes none.
    """
    tool = row.get("tool_name")
    found: list[tuple[object, ...]] = [
        (key, tool, row[key]) for key in _OF_TOOL if isinstance(row.get(key), str) and row[key]
    ]
    found += [(key, row[key]) for key in _OF_ANY if isinstance(row.get(key), str) and row[key]]
    edits = row.get("edits")
    if isinstance(edits, list | tuple):
        found += [("edit", edit[0], edit[2]) for edit in edits if isinstance(edit, list | tuple) and len(edit) == 3]
    return found
