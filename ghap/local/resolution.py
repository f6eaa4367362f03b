"""How an entry gets its outcome: values are checked before any file is touched."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, TypedDict

from ghap.local.entry import GHAPEntry, Lesson, Outcome, OutcomeStatus, RootCause, compute_confidence_tier
from ghap.local.errors import InvalidEntryError
from ghap.local.fields import bounded, instance, member
from ghap.local.lines import Line
from memoryserver.common import clock

MAX_CATEGORY = 60  # characters of a root cause's category


class Learned(TypedDict, total=False):
    """What was learned from an outcome; only the fields that are set."""

    surprise: str
    root_cause: RootCause
    lesson: Lesson


def outcome(status: OutcomeStatus, result: str, *, auto_captured: bool = False) -> Outcome:
    """Return the outcome as of now; InvalidEntryError where a value is of the wrong type."""
    return Outcome(
        status=member(status, OutcomeStatus, "status"),
        result=bounded(result, "result"),
        captured_at=clock.now(),
        auto_captured=instance(auto_captured, bool, "auto_captured"),
    )


def learned(surprise: str | None, root_cause: RootCause | None, lesson: Lesson | None) -> Learned:
    """Return those of the three that are not None, texts bounded and the category as a kebab-case word.

    Raises InvalidEntryError where one is of the wrong type, or has such a value in it.
    """
    fields = Learned()
    if surprise is not None:
        fields["surprise"] = bounded(surprise, "surprise")
    if root_cause is not None:
        cause = RootCause.from_dict(_fields(root_cause, RootCause, "root_cause"))
        fields["root_cause"] = replace(cause, category=kebab(cause.category))
    if lesson is not None:
        fields["lesson"] = Lesson.from_dict(_fields(lesson, Lesson, "lesson"))
    return fields


def _fields(value: object, kind: type[RootCause | Lesson], name: str) -> dict[str, Any]:
    """Return the JSON object of `value`, which must be a `kind`."""
    checked = instance(value, kind, name)
    instance(checked.extra, dict, f"{name}.extra")
    return checked.to_dict()


def resolved(
    entry: GHAPEntry,
    outcome: Outcome,
    surprise: str | None = None,
    root_cause: RootCause | None = None,
    lesson: Lesson | None = None,
) -> GHAPEntry:
    """Return `entry` with its outcome, the tier that follows from it, and what was learned."""
    entry = replace(
        entry,
        outcome=outcome,
        surprise=surprise if surprise is not None else entry.surprise,
        root_cause=root_cause or entry.root_cause,
        lesson=lesson or entry.lesson,
    )
    return replace(entry, confidence_tier=compute_confidence_tier(entry))


def corrected(entry: GHAPEntry, outcome: Outcome, learned: Learned) -> GHAPEntry:
    """Return the resolved `entry` with `outcome` in place of its own, which is kept among the earlier ones.

    Where the status is the same the outcome stays, and the result is added before its own unless it is in it.
    """
    before = entry.outcome
    if before is not None and before.status is outcome.status:
        if outcome.result not in before.result:
            both = bounded(f"{outcome.result}\n\n{before.result}", "result")
            entry = replace(entry, outcome=replace(before, result=both))
        return replace(entry, **learned)
    earlier = [*entry.earlier_outcomes, *([before] if before else [])]
    return resolved(replace(entry, earlier_outcomes=earlier), outcome, **learned)


def kebab(category: str) -> str:
    """Return `category` as one kebab-case word, "Wrong Assumption" as wrong-assumption, so that equal ones match.

    Raises InvalidEntryError where it has no word, or more than MAX_CATEGORY characters.
    """
    import re

    word = "-".join(re.findall(r"[a-z0-9]+", bounded(category, "root cause category").lower()))
    if not word:
        raise InvalidEntryError(f"a root cause category is a word like wrong-assumption, not {category[:40]!r}")
    if len(word) > MAX_CATEGORY:
        raise InvalidEntryError(
            f"a root cause category is a word like wrong-assumption of at most {MAX_CATEGORY} characters, "
            f"not of {len(word)}; put the rest into the description"
        )
    return word


def warn_unreadable(lines: Iterable[Line]) -> None:
    """Log a warning for each line that holds no entry."""
    import logging  # rarely needed, and slow to import in a hook

    logger = logging.getLogger("ghap.local")
    for number, line in enumerate(lines, start=1):
        if line.entry is None:
            logger.warning("entry %d of the session cannot be read and is skipped: %s", number, line.fault)
