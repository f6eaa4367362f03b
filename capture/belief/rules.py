"""What is believed of learnings: the one place that decides whether a learning may enter a session's context.

A learning is believed unless, in this order,

1. it is a status report (`local.extraction.status_reports`), or the judge has rejected it (`capture.judge`, if
   configured);
2. it is doubted: its belief is below the threshold of its source (`belief.thresholds`);
3. it is provisional: the session that it comes from still runs (`belief.sessions`).

One that a person pinned is believed whatever else holds; a hidden one never, nor one that was merged into another.

The belief is a probability. The confidence, a score of how likely the learning is worth keeping, is taken as odds, and
what was seen since multiplies them:

    belief = odds / (1 + odds)
    odds = confidence / (1 - confidence) * 1.3 ** sightings * 0.5 ** (age / half-life)

where `sightings` counts further messages that had it, at most 4, and the age is that since it was last seen. The odds
of a learning that was in contexts on 50 days without ever being opened, quoted or followed are halved; so are those of
one that a later learning contradicts, until a person has decided between the two.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, cast

from django.db import DEFAULT_DB_ALIAS
from django.db.models import (
    BooleanField,
    Case,
    CharField,
    Exists,
    Expression,
    ExpressionWrapper,
    F,
    FloatField,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Value,
    When,
    Window,
)
from django.db.models.functions import Cast, Greatest, Least, Now, Power, RowNumber
from django.utils import timezone

from capture.belief.by_value import ByValue
from capture.belief.sessions import SILENCE, is_provisional
from capture.belief.thresholds import (
    FOUND_CAUSE,
    OF_ONE_TASK,
    THRESHOLD_OF_ACCEPTED,
    THRESHOLD_OF_ONE_TASK,
    THRESHOLDS,
    threshold,
)
from capture.models import Contradiction, Learning, LearningChange
from memoryserver.statements.compiled import IDS, TIME, CompiledRows
from memoryserver.statements.seconds import Seconds

Verdict = Literal["pinned", "believed", "hidden", "merged", "report", "rejected", "doubted", "provisional"]
IN_CONTEXT: tuple[Verdict, ...] = ("pinned", "believed")

HALF_LIVES: Mapping[str, float] = {"agent": 730.0, "observed": 365.0, "stated": 270.0}
"""Days in which the odds of a learning that nobody meets again halve."""

UNUSED, UNUSED_AFTER = 0.5, 50
CONTRADICTED = 0.5
SIGHTING, MAX_SIGHTINGS = 1.3, 4
_ACCEPTED = ("accepted", "rewritten")
_HIDING = (LearningChange.What.HIDDEN, LearningChange.What.WITHDRAWN)
_DAY = 86_400.0
MOST_LEADING = 40
_CERTAIN = 0.99  # a confidence of 1 would have infinite odds
_TYPE_OF_FUTURE = 0.3

# Corrections and rules of the whole project weigh more than facts about one task.
TYPE_WEIGHTS: Mapping[str, float] = {
    "correction": 1.0,
    "convention": 0.95,
    "preference": 0.9,
    "gotcha": 0.9,
    "command": 0.85,
    "security": 0.7,
    "error_recovery": 0.65,
    "solution": 0.65,
    "breakthrough": 0.6,
    "learning": 0.6,
    "decision": 0.55,
    "optimization": 0.4,
    "test": 0.35,
    "refactoring": 0.25,
    "outcome": 0.2,
    "handoff": 0.15,
    "checkpoint": 0.1,
}


@dataclass(frozen=True)
class Judgement:
    """The verdict on a learning, its belief, the threshold for its source, and its weight among the others.

    Whatever the verdict: `provisional` if the session that it comes from still runs, `contradicted` if a later learning
    contradicts it and nobody has decided between the two; `withdrawn` if it is hidden since the agent took it back.
    """

    verdict: Verdict
    belief: float
    threshold: float
    weight: float
    provisional: bool
    contradicted: bool
    withdrawn: bool

    @property
    def in_context(self) -> bool:
        """Whether it may enter a context."""
        return self.verdict in IN_CONTEXT


@dataclass(frozen=True)
class Leading:
    """The keys of the first MOST_LEADING learnings that may enter a context, and of those that may not."""

    believed: Sequence[int]
    unbelieved: Sequence[int]


def judged(rows: QuerySet[Learning], silent_since: datetime | None = None) -> QuerySet[Any]:
    """Return `rows`, each with a judgement: see `judgement`; `silent_since` is as of `is_provisional`."""
    annotated = rows.annotate(contradicted=is_contradicted(), provisional=is_provisional(silent_since))
    annotated = annotated.annotate(belief=_belief())
    return annotated.annotate(verdict=_verdict(), weight=_by_type() * F("belief"), hidden_as=_hidden_as())


def judge(rows: Iterable[Learning]) -> list[Learning]:
    """Return `rows`, each with a judgement as those of `judged` have it, without those that are gone by now.

    To make the statement of `judged` takes four times as long as a bare page; that of `judge` is made once.
    """
    listed = list(rows)
    judgements = {key: values for key, *values in _JUDGEMENTS.rows(ids=[row.pk for row in listed], time=_now_silent())}
    for row in listed:
        vars(row).update(zip(_JUDGED, judgements.get(row.pk, ()), strict=False))
    return [row for row in listed if row.pk in judgements]


def judged_by_key(keys: Collection[int]) -> list[Learning]:
    """Return those of the learnings `keys` that are neither hidden nor merged, each with a judgement.

    They have the fields that a context shows; any other is read at its first use.
    """
    rows = []
    for values in _BY_KEY.rows(ids=list(keys), time=_now_silent()):
        rows.append(Learning.from_db(DEFAULT_DB_ALIAS, _FIELDS, values[: len(_FIELDS)]))
        vars(rows[-1]).update(zip(_JUDGED, values[len(_FIELDS) :], strict=True))
    return rows


def leading(rows: QuerySet[Learning]) -> Leading:
    """Return which of `rows` come first: pinned ones, then by weight."""
    keys: dict[bool, list[int]] = {True: [], False: []}
    for enters, key in _LEADING.rows(ids=rows.order_by().values("pk"), time=_now_silent()):
        keys[enters].append(key)
    return Leading(keys[True], keys[False])


def undecided(rows: QuerySet[Learning], least: float, most: float) -> QuerySet[Learning]:
    """Return those of `rows` whose belief is from `least` to below `most` and on which nothing else decides, judged."""
    undecided = judged(rows).filter(verdict__in=("doubted", "believed"), provisional=False)
    return undecided.filter(belief__gte=least, belief__lt=most)


def provisional(rows: QuerySet[Learning], silent_since: datetime | None = None) -> QuerySet[Learning]:
    """Return those of `rows` whose session still runs; `silent_since` is as of `is_provisional`."""
    return rows.alias(provisional=is_provisional(silent_since)).filter(provisional=True)


def settled(rows: QuerySet[Learning]) -> QuerySet[Learning]:
    """Return those of `rows` whose session is over."""
    return rows.alias(provisional=is_provisional()).filter(provisional=False)


def judgement(row: Learning) -> Judgement:
    """Return the judgement on a row of `judged`."""
    annotated = cast("Any", row)
    return Judgement(
        verdict=annotated.verdict,
        belief=annotated.belief,
        threshold=THRESHOLD_OF_ACCEPTED
        if row.judge_verdict in _ACCEPTED
        else threshold(row.source, row.type, row.content),
        weight=annotated.weight,
        provisional=annotated.provisional,
        contradicted=annotated.contradicted,
        withdrawn=annotated.hidden_as == LearningChange.What.WITHDRAWN,
    )


def _now_silent() -> datetime:
    return timezone.now() - SILENCE


_JUDGED = ("verdict", "belief", "weight", "provisional", "contradicted", "hidden_as")
_JUDGEMENTS = CompiledRows(
    lambda: judged(Learning.objects.filter(pk__in=[IDS]).order_by(), TIME).values_list("pk", *_JUDGED)
)

_NEEDED = {
    *("id", "source", "type", "content", "confidence", "seen_count", "last_seen", "pinned", "judge_verdict"),
    *("by_hand_by", "by_hand_session"),
}
_FIELDS = [field.attname for field in Learning._meta.concrete_fields if field.attname in _NEEDED]
_BY_KEY = CompiledRows(
    lambda: judged(Learning.objects.filter(pk__in=[IDS], hidden=False, merged_into=None).order_by(), TIME)
    .values_list(*_FIELDS, *_JUDGED)
)  # fmt: skip


def _placed() -> QuerySet[Any, Any]:
    """Return the leading ones of the learnings IDS: whether each enters a context, and its key."""
    enters = ExpressionWrapper(Q(verdict__in=IN_CONTEXT), output_field=BooleanField())
    order = ("-pinned", "-weight", "-pk")
    place = Window(RowNumber(), partition_by=[F("enters")], order_by=order)
    rows = judged(Learning.objects.filter(pk__in=[IDS]), TIME).annotate(enters=enters).annotate(place=place)
    leading: QuerySet[Any, Any] = rows.filter(place__lte=MOST_LEADING).order_by("place").values_list("enters", "pk")
    return leading


_LEADING = CompiledRows(_placed)


def _verdict() -> Case:
    return Case(
        When(hidden=True, then=Value("hidden")),
        When(merged_into__isnull=False, then=Value("merged")),
        When(pinned=True, then=Value("pinned")),
        When(is_report=True, then=Value("report")),
        When(judge_verdict="rejected", then=Value("rejected")),
        When(belief__lt=_threshold(), then=Value("doubted")),
        When(provisional=True, then=Value("provisional")),
        default=Value("believed"),
    )


def _belief() -> Expression:
    confidence = Least(Greatest(F("confidence"), Value(1 - _CERTAIN)), Value(_CERTAIN))
    sightings = Least(Greatest(F("seen_count") - 1, Value(0)), Value(MAX_SIGHTINGS))
    age = Greatest(Seconds(Now() - F("last_seen")) / Value(_DAY), Value(0.0))
    odds = (
        confidence
        / (Value(1.0) - confidence)
        * Power(Value(SIGHTING), Cast(sightings, FloatField()))
        * _unused()
        * Case(When(contradicted=True, then=Value(CONTRADICTED)), default=Value(1.0), output_field=FloatField())
        * Power(Value(0.5), Least(age / _by_source(HALF_LIVES), Value(100.0)))
    )
    return Value(1.0) / (Value(1.0) + Value(1.0) / odds)  # odds / (1 + odds) would compute the odds twice


def _unused() -> Case:
    unused = Q(usage__shown__gte=UNUSED_AFTER, usage__opened=0, usage__quoted=0, usage__followed=0, by_hand_at=None)
    return Case(When(unused, then=Value(UNUSED)), default=Value(1.0), output_field=FloatField())


def is_contradicted() -> Exists:
    """Return whether a later learning contradicts it, and nobody has decided between the two."""
    return Exists(undecided_contradictions().filter(earlier=OuterRef("pk")))


def undecided_contradictions() -> QuerySet[Contradiction]:
    """Return the contradictions between which nobody has decided, and whose later learning is shown."""
    return Contradiction.objects.filter(decision="", later__hidden=False, later__merged_into=None)


def _hidden_as() -> Case:
    """Return the last change that hid the learning; "" unless it is hidden, for which nothing is looked up."""
    changes = LearningChange.objects.filter(learning=OuterRef("pk"), what__in=_HIDING).order_by("-made_at", "-pk")
    last = When(hidden=True, then=Subquery(changes.values("what")[:1]))
    return Case(last, default=Value(""), output_field=CharField())


def _by_source(values: Mapping[str, float]) -> ByValue:
    return ByValue("source", values, default=values["stated"])


def _threshold() -> Case:
    stated_of_one_task = (
        ~Q(source__in=["agent", "observed"]) & Q(type__in=OF_ONE_TASK) & ~Q(content__iregex=FOUND_CAUSE)
    )
    accepted = When(judge_verdict__in=_ACCEPTED, then=Value(THRESHOLD_OF_ACCEPTED))
    return Case(accepted, When(stated_of_one_task, then=Value(THRESHOLD_OF_ONE_TASK)), default=_by_source(THRESHOLDS))


def _by_type() -> ByValue:
    return ByValue("type", TYPE_WEIGHTS, default=_TYPE_OF_FUTURE)
