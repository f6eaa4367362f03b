"""Finds a failure that an agent overcame: the same command failed again and again, and then it worked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from trajectory.local import outcome
from trajectory.local.calls import summary

ENOUGH_FAILURES = 2
MOST_ROWS = 400  # the newest ones of a trajectory, in which it is looked for
_STORES = ("memory learn", "store_learning")


def overcome(rows: Iterable[Mapping[str, Any]]) -> tuple[str, int] | None:
    """Return the command of a trajectory that failed most often before it worked, and how often it failed.

    `rows` are in their order. None if no command failed at least twice before it worked, or if the agent stored a
    learning since. Of a report of failing tests only those are failures again that are as the one before: a number that
    falls, or other tests that fail, is how work goes on.
    """
    failures: dict[str, int] = {}
    reports: dict[str, object] = {}
    worked: dict[str, tuple[str, int]] = {}
    for row in rows:
        called = f"{row.get('tool_name')} {row.get('params_summary')}"
        if any(name in called for name in _STORES):
            worked.clear()
        if summary.kind_of(str(row.get("tool_name"))) != summary.COMMAND:
            continue
        command = str(row.get("args_hash"))
        if row.get("outcome") == outcome.ERROR:
            report = (row.get("failures"), row.get("failing"))
            is_other = report[0] is not None and reports.get(command, report) != report
            failures[command] = 1 if is_other else failures.get(command, 0) + 1
            reports[command] = report
            worked.pop(command, None)
        elif row.get("outcome") == outcome.OK and (count := failures.pop(command, 0)) >= ENOUGH_FAILURES:
            worked[command] = str(row.get("params_summary")), count
    return max(worked.values(), key=lambda failed: failed[1], default=None)
