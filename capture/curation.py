"""What people do to learnings: correct, pin, hide and delete them; capture never undoes it.

Who may: the owner of a learning everything; the owner of a shared project may correct, pin and hide what team
mates' agents learned in it, since they answer for the project; only its owner deletes a learning. Everybody else who
sees it reads it.
"""

from __future__ import annotations

from collections.abc import Iterable

from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import QuerySet
from django.http import Http404

from capture import identities, learnings
from capture.documents import COLLECTION, stage
from capture.models import Learning, LearningChange
from capture.sink import EMBED_JOB, SOURCE
from memoryserver.accounts.models import User
from memoryserver.jobs import enqueue
from memoryserver.vectors.backlog import reset
from memoryserver.vectors.store import PgVectorStore
from obslog.emit import emit

MAX_CONTENT = 4_000  # characters
_What = LearningChange.What


class KnownAlreadyError(Exception):
    """The new wording is that of another learning, `learning`."""

    def __init__(self, learning: Learning) -> None:
        super().__init__(f"learning {learning.pk} says this already; hide or delete this one instead")
        self.learning = learning


def change(
    user: User, key: int, *, content: str | None = None, pinned: bool | None = None, hidden: bool | None = None
) -> Learning:
    """Change what is given of the learning `key`; what is as it was makes no entry in its history.

    Raises Http404 where `user` sees none, PermissionDenied where it is not theirs to change, ValueError for content
    that cannot be, KnownAlreadyError; nothing is changed then.
    """
    with transaction.atomic():
        learning = _held(user, key)
        if not learnings.may_change(user, learning):
            raise PermissionDenied("only the owner of a learning, or of its project, may change it")
        if content is not None:
            _correct(learning, content, user)
        if pinned is not None:
            _set_pinned(learning, pinned, user)
        if hidden is not None:
            _set_hidden(learning, hidden, user)
    return learning


def delete(user: User, key: int) -> None:
    """Delete the learning `key` with everything that was made of it. Only digests of its wordings stay, so that it
    does not come back.

    Raises Http404 where `user` sees none, PermissionDenied where it is not their own.
    """
    with transaction.atomic():
        learning = _held(user, key)
        if learning.user_id != user.pk:
            raise PermissionDenied("only its owner may delete a learning; hide it instead")
        _delete(learning, user)


def delete_all(selected: Iterable[Learning], by: User | None) -> int:
    """The same for an administrator; how many."""
    with transaction.atomic():
        chosen = sorted(selected, key=lambda learning: learning.user_id)
        for learning in chosen:
            identities.hold(learning.user)
            _delete(learning, by)
    return len(chosen)


def set_hidden(selected: QuerySet[Learning], *, hidden: bool, by: User | None = None) -> int:
    """Hide `selected` from every search, or show them again, as an administrator; how many changed."""
    with transaction.atomic():
        return sum(_set_hidden(learning, hidden, by) for learning in selected.select_related("user", "project"))


def set_pinned(selected: QuerySet[Learning], *, pinned: bool, by: User | None = None) -> int:
    """Pin `selected`, or no more, as an administrator; how many changed."""
    with transaction.atomic():
        return sum(_set_pinned(learning, pinned, by) for learning in selected.select_related("user", "project"))


def _held(user: User, key: int) -> Learning:
    """The learning with nobody else at it."""
    found = learnings.get(user, key)
    identities.hold(found.user)
    try:
        found.refresh_from_db()
    except Learning.DoesNotExist as error:
        raise Http404("this learning was deleted just now") from error
    return found


def _correct(learning: Learning, content: str, by: User | None) -> None:
    content = identities.wording(content) if len(content) <= MAX_CONTENT else ""
    if not content:
        raise ValueError(f"content: must have from 1 to {MAX_CONTENT} characters, secrets and private parts aside")
    if content == learning.content:
        return
    claimed, _ = identities.claim(learning.user, learning.project, learning.type, content)
    if claimed.learning is not None and claimed.learning.pk != learning.pk:
        raise KnownAlreadyError(claimed.learning)
    claimed.learning = learning
    claimed.save(update_fields=["learning"])
    before, learning.content = learning.content, content
    learning.content_digest = identities.text_digest(content)
    learning.save(update_fields=["content", "content_digest"])
    _index(learning)
    _note(learning, _What.CORRECTED, by, before=before)


def _set_pinned(learning: Learning, pinned: bool, by: User | None) -> bool:
    if learning.pinned == pinned:
        return False
    learning.pinned = pinned
    learning.save(update_fields=["pinned"])
    _note(learning, _What.PINNED if pinned else _What.UNPINNED, by)
    return True


def _set_hidden(learning: Learning, hidden: bool, by: User | None) -> bool:
    if learning.hidden == hidden:
        return False
    learning.hidden = hidden
    learning.save(update_fields=["hidden"])
    _index(learning)
    _note(learning, _What.HIDDEN if hidden else _What.SHOWN, by)
    return True


def _index(learning: Learning) -> None:
    """Found by its words at once, by its meaning soon; or, hidden, by neither."""
    stage(learning.user, learning.project, [learning])
    if not learning.hidden and reset(Learning.objects.filter(pk=learning.pk)):
        enqueue(EMBED_JOB)


def _delete(learning: Learning, by: User | None) -> None:
    key = learning.pk
    PgVectorStore(learning.user, learning.project).delete(COLLECTION, [str(key)])
    learning.delete()
    who = f" by {by}" if by and by != learning.user else ""
    emit(
        learning.user,
        type="capture.learning_deleted",
        source=SOURCE,
        message=f"learning {key} was deleted{who}",
        scope_ids=[f"learning:{key}"],
    )


def _note(learning: Learning, what: LearningChange.What, by: User | None, before: str = "") -> None:
    LearningChange.objects.create(learning=learning, what=what, before=before, made_by=by)
    who = f" by {by}" if by and by != learning.user else ""
    emit(
        learning.user,
        type=f"capture.learning_{what}",
        source=SOURCE,
        message=f"learning {learning.pk} was {what}{who}",
        scope_ids=[f"learning:{learning.pk}"],
    )
