"""How often a call, its result, its error or the state that it left behind was there among the last thirty calls.

A row knows it as `repeats`, 1 for what is new. Like the streak it is carried with the row, so that a call which
repeats nothing is known to be one without any observer being loaded.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

WITHIN = 30  # calls


def repeats(earlier: Iterable[Mapping[str, object]], row: Mapping[str, object]) -> int:
    """The highest count among the marks of `row`, itself included; `earlier` are the calls before it."""
    counted = dict.fromkeys(_marks(row), 1)
    for each in earlier:
        for mark in _marks(each):
            if mark in counted:
                counted[mark] += 1
    return max(counted.values(), default=1)


def _marks(row: Mapping[str, object]) -> list[tuple[object, ...]]:
    """What makes the row the same as another; what it does not know is no mark."""
    tool = row.get("tool_name")
    found: list[tuple[object, ...]] = [
        (key, tool, row[key]) for key in ("args_hash", "result_key") if isinstance(row.get(key), str) and row[key]
    ]
    found += [(key, row[key]) for key in ("error_key", "failing") if isinstance(row.get(key), str) and row[key]]
    edits = row.get("edits")
    if isinstance(edits, list | tuple):
        found += [("edit", edit[0], edit[2]) for edit in edits if isinstance(edit, list | tuple) and len(edit) == 3]
    return found
