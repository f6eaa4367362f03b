"""The judging of learnings whose belief leaves it open whether they are worth keeping."""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence

from django.conf import settings
from django.db import transaction
from django.db.models import F, QuerySet

from capture import curation, identities
from capture.belief import rules
from capture.judge import budget, endpoint
from capture.judge.endpoint import Answer, BadAnswerError, EndpointError
from capture.judge.faithfulness import is_faithful
from capture.models import Learning, LearningChange
from memoryserver.jobs import try_advisory_lock

logger = logging.getLogger(__name__)

BELIEF_FROM, BELIEF_TO = 0.45, 0.95
"""Learnings with a belief from the one to below the other are judged: below they are noise, above they are good."""
BATCH = 20
SECONDS = 180.0
_What = LearningChange.What


def judge_pending(seconds: float = SECONDS) -> int:
    """Judge what was not judged yet, in batches, as far as the day's budget goes; return how many got a verdict.

    Does nothing unless an endpoint is configured. An endpoint that fails ends the run; the next one tries again. Only
    one runs at a time; another returns 0 at once.
    """
    if not settings.LLM_URL:
        return 0
    deadline = time.monotonic() + seconds
    judged = 0
    with try_advisory_lock("judge learnings") as acquired:
        while acquired and time.monotonic() < deadline:
            rows = list(candidates()[:BATCH])
            count = budget.reserve(len(rows)) if rows else 0
            if not count:
                break
            try:
                judged += _judge(rows[:count])
            except EndpointError as error:
                logger.warning("the judge cannot be asked", extra={"reason": str(error)})
                break
    return judged


def candidates() -> QuerySet[Learning]:
    """Return the learnings that the judge is to be asked about, the latest first.

    Left out are those that a person stored, corrected, pinned or hid, provisional ones and status reports.
    """
    rows = Learning.objects.filter(by_hand_at=None, source__in=["observed", "stated"])
    rows = rows.exclude(judged_digest=F("content_digest")).exclude(changes__what=_What.CORRECTED)
    return rules.undecided(rows, BELIEF_FROM, BELIEF_TO).order_by("-last_seen", "-pk")


def _judge(rows: Sequence[Learning]) -> int:
    """Ask about `rows` and store the verdicts; return how many there were.

    Those without a usable verdict stay as they are and are not asked about again, so that they do not block the others.
    """
    try:
        answers = endpoint.ask({row.pk: row.content for row in rows})
    except BadAnswerError as error:
        logger.warning("the judge's answer cannot be read", extra={"reason": str(error)})
        answers = {}
    return sum(store_verdict(row, answers.get(row.pk)) for row in rows)


@transaction.atomic
def store_verdict(row: Learning, answer: Answer | None) -> bool:
    """Store the judge's `answer` on `row`, None if it has none; return whether there is a verdict now.

    One that somebody has changed since it was read gets none.
    """
    identities.lock(row.user)
    current = Learning.objects.select_related("user", "project").filter(pk=row.pk, content=row.content).first()
    if current is None or current.hidden or current.pinned or current.merged_into_id is not None:
        return False
    Learning.objects.filter(pk=row.pk).update(judged_digest=row.content_digest)
    if answer is None:
        return False
    current.refresh_from_db()
    if answer.verdict == "reject":
        curation.note_verdict(current, _What.REJECTED, answer.reason)
    elif answer.verdict == "rewrite" and is_faithful(answer.text, row.content):
        curation.note_verdict(current, _What.REWRITTEN, answer.reason, wording=answer.text)
    else:  # a rewrite that says more than its source is refused, and the original stays
        curation.note_verdict(current, _What.ACCEPTED, answer.reason)
    return True
