"""Withdrawals: learnings that the agent took back in the same session, after they had been captured."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from capture import identities
from capture.documents import stage
from capture.models import Capture, CaptureState, Learning, LearningChange, LearningIdentity, LearningSource
from memoryserver.accounts import context_version
from obslog.emit import emit

_SOURCE = "system:capture"


@dataclass(frozen=True)
class Withdrawal:
    """A learning of a context that the agent took back: its type, its wording and the number of its message."""

    type: str
    content: str
    source_message_index: int


def apply(capture: Capture, withdrawals: Iterable[Withdrawal]) -> int:
    """Hide the learnings that `withdrawals` name, and return how many.

    Only those that come from nothing but that message of the context of `capture`, that no person has stored,
    corrected, pinned or brought back. A person can show them again. Call it in a transaction that has locked the
    learnings of the user (`identities.lock`).
    """
    withdrawn = [(item.type, identities.digest_of(item.content), item.source_message_index) for item in withdrawals]
    if not withdrawn:
        return 0
    capture.withdrawn = withdrawn
    capture.save(update_fields=["withdrawn"])
    return sum(_hide_withdrawn(capture.state, *item) for item in withdrawn)


def apply_earlier(capture: Capture) -> int:
    """Hide what `capture` brought although a capture delivered before it withdrew it; return how many."""
    withdrawing = Capture.objects.filter(state=capture.state).exclude(pk=capture.pk).exclude(withdrawn=[])
    return sum(
        _hide_withdrawn(capture.state, *item)
        for withdrawn in withdrawing.values_list("withdrawn", flat=True)
        for item in withdrawn
    )


def _hide_withdrawn(state: CaptureState, kind: str, digest: str, index: int) -> bool:
    identity = LearningIdentity.objects.filter(user=state.user, project=state.project, type=kind, digest=digest).first()
    learning = identity.learning if identity is not None else None
    if learning is None or learning.hidden or not _is_only_from(learning, state, index):
        return False
    learning.hidden = True
    learning.save(update_fields=["hidden"])
    context_version.advance(learning.user, learning.project)
    stage(learning.user, learning.project, [learning])
    LearningChange.objects.create(learning=learning, what=LearningChange.What.WITHDRAWN)
    emit(
        learning.user,
        type="capture.learning_withdrawn",
        source=_SOURCE,
        message=f"learning {learning.pk} was withdrawn: the agent took it back in {state.context_id}",
        scope_ids=[f"learning:{learning.pk}", state.context_id],
        project=learning.project_id,
    )
    return True


def _is_only_from(learning: Learning, state: CaptureState, index: int) -> bool:
    """Return whether nothing but the message `index` of the context says `learning`, and no person touched it."""
    by_person = learning.pinned or learning.by_hand_at is not None or learning.changes.exclude(made_by=None).exists()
    if by_person or learning.merged.exists():
        return False
    sources = LearningSource.objects.filter(learning=learning)
    of_message = sources.filter(capture__state=state, message_index=index)
    return of_message.exists() and not sources.exclude(pk__in=of_message).exists()
