"""The rules of others for an agent that goes in circles: each returns after how many calls it would say so."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from trajectory.local import ToolCallRecord

Rule = Callable[[Sequence[ToolCallRecord]], list[int]]


def key(record: ToolCallRecord) -> tuple[str, str]:
    """Return what makes two calls equal."""
    return record.tool_name, record.args_hash


def name_count(calls: Sequence[ToolCallRecord]) -> list[int]:
    """Every ten calls: is any name there three times among the last ten?"""
    ends = range(10, len(calls) + 1, 10)
    return [end for end in ends if max(Counter(one.tool_name for one in calls[end - 10 : end]).values()) >= 3]


def three_in_a_row(calls: Sequence[ToolCallRecord]) -> list[int]:
    """Three equal calls, one directly after the other, whatever came back."""
    return [end for end in range(3, len(calls) + 1) if len({key(one) for one in calls[end - 3 : end]}) == 1]


def openhands(calls: Sequence[ToolCallRecord]) -> list[int]:
    """Four equal calls with equal results, three with errors, or six calls A B A B A B, at the end."""

    def stuck(past: Sequence[ToolCallRecord]) -> bool:
        both = [(key(one), one.result_hash) for one in past[-6:]]
        four = len(past) >= 4 and len(set(both[-4:])) == 1
        three = (
            len(past) >= 3 and len({key(one) for one in past[-3:]}) == 1 and all(one.went_wrong for one in past[-3:])
        )
        six = len(both) == 6 and both[0::2] == [both[0]] * 3 and both[1::2] == [both[1]] * 3
        return four or three or six

    return [end for end in range(3, len(calls) + 1) if stuck(calls[max(0, end - 6) : end])]


def gemini(calls: Sequence[ToolCallRecord]) -> list[int]:
    """Five rounds of one to five equal calls, whatever came back."""

    def stuck(past: Sequence[ToolCallRecord]) -> bool:
        keys = [key(one) for one in past]
        return any(len(keys) >= 5 * period and keys[-5 * period :] == keys[-period:] * 5 for period in range(1, 6))

    return [end for end in range(5, len(calls) + 1) if stuck(calls[max(0, end - 25) : end])]


RULES: dict[str, Rule] = {
    "spec name count": name_count,
    "three in a row": three_in_a_row,
    "openhands": openhands,
    "gemini": gemini,
}
