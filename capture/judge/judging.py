"""The judging of learnings whose belief leaves it open whether they are worth keeping."""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence

from django.conf import settings
from django.db import transaction
from django.db.models import F, Q, QuerySet

from capture import curation, identities
from capture.belief import rules
from capture.judge import budget, endpoint
from capture.judge.endpoint import Answer, BadAnswerError, EndpointError, Note
from capture.judge.faithfulness import is_faithful
from capture.models import Learning, LearningChange, LearningSource
from memoryserver.jobs import try_advisory_lock

logger = logging.getLogger(__name__)

BELIEF_FROM, BELIEF_TO = 0.45, 0.95
"""Learnings with a belief from the one to below the other are judged: below they are noise, above they are good."""
BATCH = 20
SECONDS = 180.0
_DIVISOR = 4  # by which a batch becomes smaller after an answer that cannot be read
_MOST_UNREAD = 3  # single learnings without a readable answer, before there was any, that end a run
_What = LearningChange.What


def judge_pending() -> int:
    """Judge what was not judged yet, in batches, as far as the day's budget goes; return how many got a verdict.

    Does nothing unless an endpoint is configured. An endpoint that fails ends the run; the next one tries again. Only
    one runs at a time; another returns 0 at once.
    """
    if not settings.LLM_URL:
        return 0
    run = _Run(time.monotonic() + SECONDS)
    with try_advisory_lock("judge learnings") as acquired:
        while acquired and run.goes_on():
            run.ask()
    return run.judged


class _Run:
    """One run of the judge. An answer that cannot be read has it ask about fewer learnings at a time.

    A single one without a readable answer is not asked about again if the endpoint could be read about another;
    otherwise it is the endpoint that answers nothing usable, and the next run tries again.
    """

    def __init__(self, deadline: float) -> None:
        self.judged = 0
        self._deadline = deadline
        self._size = BATCH
        self._unread: list[Learning] = []
        self._was_read = self._over = False

    def goes_on(self) -> bool:
        """Return whether there is time left, and an endpoint that can be read."""
        useless = not self._was_read and len(self._unread) >= _MOST_UNREAD
        return not self._over and not useless and time.monotonic() < self._deadline

    def ask(self) -> None:
        """Ask about the next learnings; without any, without budget, or if the endpoint fails, the run is over."""
        rows = list(candidates().exclude(pk__in=[row.pk for row in self._unread])[: self._size])
        count = budget.reserve(len(rows)) if rows else 0
        self._over = count == 0
        if self._over:
            return
        try:
            self.judged += _judge(rows[:count])
        except EndpointError as error:
            logger.warning("the judge cannot be asked", extra={"reason": str(error)})
            self._over = True
        except BadAnswerError as error:
            logger.warning("the judge's answer cannot be read", extra={"reason": str(error), "learnings": count})
            self._unread += rows[:count] if count == 1 else []
            self._size = max(count // _DIVISOR, 1)
        else:
            self._was_read = True
            self._size = min(self._size * _DIVISOR, BATCH)
        if self._was_read:
            while self._unread:
                store_verdict(self._unread.pop(), None)


def candidates() -> QuerySet[Learning]:
    """Return the learnings that the judge is to be asked about, the latest first.

    Left out are those that a person stored, corrected, pinned or hid, provisional ones, status reports, and commands
    with their outcomes: a model that has not seen them run takes every one for worth keeping.
    """
    of_words = Q(source=Learning.Source.STATED) | Q(source=Learning.Source.OBSERVED, type="correction")
    rows = Learning.objects.filter(of_words, by_hand_at=None)
    rows = rows.exclude(judged_digest=F("content_digest")).exclude(changes__what=_What.CORRECTED)
    return rules.undecided(rows, BELIEF_FROM, BELIEF_TO).order_by("-last_seen", "-pk")


def _judge(rows: Sequence[Learning]) -> int:
    """Ask about `rows` and store the verdicts; return how many there were.

    Those without a usable verdict stay as they are and are not asked about again, so that they do not block the others.
    Raises EndpointError, BadAnswerError.
    """
    quoted = LearningSource.objects.filter(learning__in=rows).exclude(quote="").order_by("pk")
    around = dict(quoted.values_list("learning_id", "quote"))  # the latest of each
    answers = endpoint.ask({row.pk: Note(row.content, around.get(row.pk, "")) for row in rows})
    return sum(store_verdict(row, answers.get(row.pk)) for row in rows)


@transaction.atomic
def store_verdict(row: Learning, answer: Answer | None) -> bool:
    """Store the judge's `answer` on `row`, None if it has none; return whether there is a verdict now.

    A borderline one is left as it is, as is one without an answer; neither is asked about again. One that somebody has
    changed since it was read gets none.
    """
    identities.lock(row.user)
    current = Learning.objects.select_related("user", "project").filter(pk=row.pk, content=row.content).first()
    if current is None or current.hidden or current.pinned or current.merged_into_id is not None:
        return False
    Learning.objects.filter(pk=row.pk).update(judged_digest=row.content_digest)
    if answer is None or answer.verdict == "leave":
        return False
    current.refresh_from_db()
    if answer.verdict == "reject":
        curation.note_verdict(current, _What.REJECTED, answer.reason)
    elif answer.verdict == "rewrite" and is_faithful(answer.text, row.content):
        curation.note_verdict(current, _What.REWRITTEN, answer.reason, wording=answer.text)
    else:  # a rewrite that says more than its source is refused, and the original stays
        curation.note_verdict(current, _What.ACCEPTED, answer.reason)
    return True
