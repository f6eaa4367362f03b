"""Renders a GHAP entry for a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from ghap.local.entry import GHAPEntry
from memoryserver.common import text
from memoryserver.common.columns import columns_of, fitting, wrapped

WIDTH = 80  # columns
_LABEL = 12
_MARK = 3


def render(entry: GHAPEntry, *, width: int = WIDTH) -> str:
    """Return `entry` in lines of at most `width` columns: what it is, iterations, outcome.

    Removes terminal sequences and control characters from its texts. No final line break.
    """
    lines = [
        *_fitted(f"{entry.id}  {entry.domain.value}, {entry.strategy.value}", width),
        *_fitted(f"begun {_moment(entry.created_at)} in {entry.session_id}", width),
        "",
        *_labelled("Goal", entry.goal, width),
        *_labelled("Check", entry.check, width),
        "",
        *_timeline(entry, width),
    ]
    notes = [line for note in entry.notes for line in _hanging(f"{'':{_MARK}}- ", note, width)]
    outcome = list(_outcome(entry, width))
    for title, block in (("Notes", notes), ("Outcome", outcome)):
        if block:
            lines += ["", title, *block]
    return "\n".join(line.rstrip() for line in lines)


def summary(entry: GHAPEntry, *, width: int = WIDTH) -> str:
    """Return `entry` in one line: id, outcome ("active" if it has none), number of iterations, goal."""
    state = entry.outcome.status.value if entry.outcome else "active"
    head = f"{entry.id}  {state:<9}  {entry.iteration_count:>2}x  "
    goal = text.one_line(text.printable(entry.goal))
    return head + fitting(goal, width - columns_of(head))


def _timeline(entry: GHAPEntry, width: int) -> Iterator[str]:
    """Yield each iteration under its number: of past ones only the changed texts, of the last one all."""
    last_change = entry.history[-1].timestamp if entry.history else entry.created_at
    current = (entry.current_since or last_change, entry.hypothesis, entry.action, entry.prediction)
    past = [(item.timestamp, item.hypothesis, item.action, item.prediction) for item in entry.history]
    before: list[str] = []
    first = max(entry.iteration_count - len(past), 1)
    for number, (moment, *texts) in enumerate([*past, current], start=first):
        is_last = number == first + len(past)
        yield f"{number:<{_MARK}}{_moment(moment)}" + ("  now" if is_last and not entry.outcome else "")
        for place, label in enumerate(("Hypothesis", "Action", "Prediction")):
            if is_last or not before or texts[place] != before[place]:
                rail = " " if is_last else "|"
                yield from _labelled(label, texts[place], width, indent=f"{rail:<{_MARK}}")
        before = texts


def _outcome(entry: GHAPEntry, width: int) -> Iterator[str]:
    indent = " " * _MARK
    for earlier in entry.earlier_outcomes:
        source = "by its check" if earlier.auto_captured else "corrected"
        yield from _fitted(f"{indent}before: {earlier.status.value} ({source}), {_moment(earlier.captured_at)}", width)
        yield from _labelled("Result", earlier.result, width, indent=indent)
    if entry.outcome:
        source = "by its check" if entry.outcome.auto_captured else ""
        tier = entry.confidence_tier.value if entry.confidence_tier else ""
        traits = ", ".join(filter(None, (tier if tier != entry.outcome.status.value else "", source)))
        head = entry.outcome.status.value + (f" ({traits})" if traits else "")
        yield from _fitted(f"{indent}{head}, {_moment(entry.outcome.captured_at)}", width)
        yield from _labelled("Result", entry.outcome.result, width, indent=indent)
    yield from _labelled("Surprise", entry.surprise, width, indent=indent)
    if entry.root_cause:
        cause = f"{entry.root_cause.category}: {entry.root_cause.description}"
        yield from _labelled("Root cause", cause, width, indent=indent)
    if entry.lesson:
        yield from _labelled("Worked", entry.lesson.what_worked, width, indent=indent)
        yield from _labelled("Takeaway", entry.lesson.takeaway, width, indent=indent)


def _fitted(line: str, width: int) -> Iterator[str]:
    """Yield `line` as it is if it fits, else wrapped."""
    if columns_of(line) <= width:
        yield line
    else:
        yield from wrapped(line, width)


def _labelled(label: str, value: str | None, width: int, indent: str = "") -> Iterator[str]:
    if value is not None and value.strip():
        yield from _hanging(f"{indent}{label:<{_LABEL}}", value, width, indent)


def _hanging(head: str, value: str, width: int, indent: str = "") -> Iterator[str]:
    """Yield `value` wrapped beside `head`; later lines begin with `indent`, filled up to the same column."""
    margin = f"{indent:<{len(head)}}"
    for number, line in enumerate(wrapped(value, width - len(head))):
        yield (head if number == 0 else margin) + line


def _moment(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M} UTC"
