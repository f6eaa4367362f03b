"""Sessions that still run: what was captured from them is provisional, since a later message may revoke it.

A part of a session is over when the session has ended, or when nobody has spoken in it for SILENCE.
`CaptureState.settled_until` is the time up to which it is over, even if the session goes on later.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db.models import BooleanField, Exists, ExpressionWrapper, F, OuterRef, Q
from django.db.models.functions import Coalesce
from django.utils import timezone

from capture.models import Capture, CaptureState, LearningSource
from memoryserver.common.clock import SESSION_SILENCE

SILENCE = timedelta(seconds=SESSION_SILENCE)


def is_provisional(silent_since: datetime | None = None) -> ExpressionWrapper[Q]:
    """Return the condition of learnings all of whose messages are of sessions that still run.

    One that was stored by hand is never provisional. A session without a message since `silent_since`, by default
    SILENCE ago, counts as over.
    """
    silent_since = silent_since or timezone.now() - SILENCE
    sources = LearningSource.objects.order_by()
    over = Q(capture__state__last_activity_at__lte=silent_since)
    written = sources.filter(learning=OuterRef("learning")).alias(
        written_at=Coalesce("message_time", "capture__captured_at")
    )
    settled = written.filter(over | Q(capture__state__settled_until__gte=F("written_at")))
    # Only a learning of a session that was active lately, of which there are few, is asked for its other sources.
    running = sources.filter(~over, ~Q(Exists(settled)), learning=OuterRef("pk"))
    return ExpressionWrapper(Q(by_hand_at=None) & Q(Exists(running)), output_field=BooleanField())


def note_activity(
    state: CaptureState, moment: datetime, *, ended: bool = False, capture: Capture | None = None
) -> None:
    """Set the last activity of `state` to `moment` if that is later, without saving it; `ended` if the session is over.

    What was before a silence is over, even if the session now goes on. It was a silence only if the server heard
    nothing meanwhile, except for `capture` which arrived just now: a laptop may deliver much at once.
    """
    if moment - state.last_activity_at >= SILENCE and not _heard_lately(state, capture):
        _settle(state, state.last_activity_at)
    state.last_activity_at = max(moment, state.last_activity_at)
    if ended:
        _settle(state, state.last_activity_at)


def note_end(state: CaptureState, ended: datetime, *, complete: bool) -> None:
    """Settle what was said until `ended`, without saving `state`.

    With `complete` nothing was said afterwards, so all that is known of the session is settled. This includes messages
    without a time, which count as of their capture, and that may be later than the end.
    """
    _settle(state, max(ended, state.last_activity_at) if complete else ended)


def _heard_lately(state: CaptureState, arriving: Capture | None) -> bool:
    if state._state.adding:
        return False
    captures = state.captures.filter(received_at__gt=timezone.now() - SILENCE)
    return (captures.exclude(pk=arriving.pk) if arriving else captures).exists()


def _settle(state: CaptureState, moment: datetime) -> None:
    state.settled_until = max(state.settled_until or moment, moment)
