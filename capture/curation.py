"""Changes by people to learnings: correct, pin, hide and delete; capture never reverts them.

Permissions: the author of a learning may do everything. A team's leads may correct, pin and hide the learnings of
others in the team's projects. Only its author may delete a learning. Everybody else who sees it can only read it.
"""

from __future__ import annotations

from collections.abc import Iterable

from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import QuerySet
from django.http import Http404
from django.utils import timezone

from capture import identities, learnings
from capture.documents import stage
from capture.local.extraction.status_reports import is_status_report
from capture.merging import merge
from capture.models import Learning, LearningChange
from capture.sink import EMBED_JOB, SOURCE
from memoryserver.accounts import context_version
from memoryserver.accounts.models import User
from memoryserver.errors import InvalidInputError
from memoryserver.jobs import enqueue
from memoryserver.vectors.backlog import reset
from obslog.emit import emit

MAX_CONTENT = 4_000  # characters
_What = LearningChange.What


class DuplicateLearningError(Exception):
    """The new wording is that of another learning, `learning`."""

    def __init__(self, learning: Learning) -> None:
        super().__init__(f"learning {learning.pk} already has this wording; hide or delete this one instead")
        self.learning = learning


def change(
    user: User, key: int, *, content: str | None = None, pinned: bool | None = None, hidden: bool | None = None
) -> Learning:
    """Change the given attributes of the learning `key`; unchanged ones add no entry to its history.

    Raises Http404 if `user` cannot see it, PermissionDenied if they may not change it, InvalidInputError for invalid
    content, DuplicateLearningError. If it raises, nothing is changed.
    """
    with transaction.atomic():
        learning = _lock(user, key)
        if not learnings.may_change(user, learning):
            raise PermissionDenied("only its author, or a lead of the team, may change a learning")
        if content is not None:
            _correct(learning, content, user)
        if pinned is not None:
            _set_pinned(learning, pinned, user)
        if hidden is not None:
            _set_hidden(learning, hidden, user)
    return learning


def separate(user: User, key: int) -> Learning:
    """Undo the merge of the learning `key`; the two are not merged again. Does nothing if it is not merged.

    Raises Http404 if `user` cannot see it, PermissionDenied if they may change neither it nor what it was merged into.
    """
    with transaction.atomic():
        learning = _lock(user, key)
        kept = learning.merged_into
        if not any(learnings.may_change(user, row) for row in (learning, kept) if row is not None):
            raise PermissionDenied("only the author of one of the learnings, or a lead of the team, may separate them")
        merge.separate(learning, user)
    return learning


def note_review(learning: Learning, by: User | None) -> None:
    """Record that `by` has looked at `learning`, so that it needs no review; None takes that back."""
    learning.reviewed_at, learning.reviewed_by = timezone.now() if by else None, by
    learning.save(update_fields=["reviewed_at", "reviewed_by"])


def merge_into(user: User, key: int, other: int) -> Learning:
    """Merge the learning `key` into `other`, which is shown instead, and return the latter; `separate` undoes it.

    Raises Http404 if `user` cannot see one of them, PermissionDenied if they may not change the first,
    InvalidInputError if the two are the same, of different projects or people, or not both shown.
    """
    with transaction.atomic():
        learning, kept = learnings.get(user, key), learnings.get(user, other)
        for owner in sorted({learning.user_id, kept.user_id}):
            identities.lock(User(pk=owner))
        learning.refresh_from_db()
        kept.refresh_from_db()
        if not learnings.may_change(user, learning):
            raise PermissionDenied("only its author, or a lead of the team, may merge a learning")
        owned_alike = learning.project_id is not None or learning.user_id == kept.user_id
        if learning.pk == kept.pk or learning.project_id != kept.project_id or not owned_alike:
            raise InvalidInputError("only two learnings of one project can be merged")
        if any(row.hidden or row.merged_into_id for row in (learning, kept)):
            raise InvalidInputError("one of the learnings is hidden or merged already")
        learning.distinct_from.remove(kept)
        merge.merge(kept, learning)
        note_review(learning, user)
        context_version.advance(learning.user, learning.project)
    return kept


def note_verdict(learning: Learning, what: LearningChange.What, reason: str, *, wording: str = "") -> None:
    """Record a verdict of the judge on `learning`, with its new `wording` if that is not another learning's.

    Call it in a transaction that has locked the owner's learnings (`identities.lock`).
    """
    if what == _What.REWRITTEN:
        try:
            _correct(learning, wording, None, what)
        except (DuplicateLearningError, InvalidInputError):
            what = _What.ACCEPTED
    learning.judge_verdict = what
    learning.judged_digest = learning.content_digest
    learning.save(update_fields=["judge_verdict", "judged_digest"])
    if what != _What.REWRITTEN:
        context_version.advance(learning.user, learning.project)
        _record_change(learning, what, None, reason=reason)


def restore(user: User, key: int) -> Learning:
    """Undo the judge's verdict on the learning `key`, with its wording; the judge is not asked about it again.

    Does nothing if there is no verdict. Raises Http404 and PermissionDenied as `change` does.
    """
    with transaction.atomic():
        learning = _lock(user, key)
        if not learnings.may_change(user, learning):
            raise PermissionDenied("only the owner of a learning, or of its project, may change it")
        if not learning.judge_verdict:
            return learning
        if learning.judge_verdict == _What.REWRITTEN:
            rewritten = learning.changes.filter(what__in=[_What.REWRITTEN, _What.CORRECTED]).first()
            if rewritten is not None and rewritten.what == _What.REWRITTEN:
                _correct(learning, rewritten.before, user)
        learning.judge_verdict, learning.judged_digest = "", learning.content_digest
        learning.save(update_fields=["judge_verdict", "judged_digest"])
        context_version.advance(learning.user, learning.project)
        _record_change(learning, _What.RESTORED, user)
    return learning


def delete(user: User, key: int) -> None:
    """Delete the learning `key` and everything derived from it. Digests of its wordings are kept, so that it is not
    captured again.

    Raises Http404 if `user` cannot see it, PermissionDenied if it belongs to somebody else.
    """
    with transaction.atomic():
        learning = _lock(user, key)
        if learning.user_id != user.pk:
            raise PermissionDenied("only its author may delete a learning; hide it instead")
        _delete(learning, user)


def delete_all(selected: Iterable[Learning], by: User | None) -> int:
    """Delete `selected` as an administrator and return how many."""
    with transaction.atomic():
        ordered = sorted(selected, key=lambda learning: learning.user_id)
        for learning in ordered:
            identities.lock(learning.user)
            _delete(learning, by)
    return len(ordered)


def set_hidden(selected: QuerySet[Learning], *, hidden: bool, by: User | None = None) -> int:
    """Hide `selected` from every search, or show them again, as an administrator; return how many changed."""
    with transaction.atomic():
        return sum(_set_hidden(learning, hidden, by) for learning in selected.select_related("user", "project"))


def set_pinned(selected: QuerySet[Learning], *, pinned: bool, by: User | None = None) -> int:
    """Pin or unpin `selected` as an administrator; return how many changed."""
    with transaction.atomic():
        return sum(_set_pinned(learning, pinned, by) for learning in selected.select_related("user", "project"))


def _lock(user: User, key: int) -> Learning:
    """Return the learning `key`, locked against concurrent changes."""
    learning = learnings.get(user, key)
    identities.lock(learning.user)
    try:
        learning.refresh_from_db()
    except Learning.DoesNotExist as error:
        raise Http404("this learning was just deleted") from error
    return learning


def _correct(
    learning: Learning, content: str, by: User | None, what: LearningChange.What = LearningChange.What.CORRECTED
) -> None:
    content = identities.wording(content) if len(content) <= MAX_CONTENT else ""
    if not content:
        raise InvalidInputError(
            f"content: must have from 1 to {MAX_CONTENT} characters without secrets and private parts"
        )
    if content == learning.content:
        return
    claimed, _ = identities.claim(learning.user, learning.project, learning.type, content)
    if claimed.learning is not None and claimed.learning.pk != learning.pk:
        raise DuplicateLearningError(claimed.learning)
    claimed.learning = learning
    claimed.save(update_fields=["learning"])
    merge.separate(learning, by)
    before, learning.content = learning.content, content
    learning.content_digest = identities.text_digest(content)
    learning.is_report = is_status_report(learning.type, content)
    learning.judge_verdict = ""  # that was on the former wording
    learning.save(update_fields=["content", "content_digest", "is_report", "judge_verdict"])
    _index(learning)
    _record_change(learning, what, by, before=before)


def _set_pinned(learning: Learning, pinned: bool, by: User | None) -> bool:
    if learning.pinned == pinned:
        return False
    learning.pinned = pinned
    learning.save(update_fields=["pinned"])
    _record_change(learning, _What.PINNED if pinned else _What.UNPINNED, by)
    return True


def _set_hidden(learning: Learning, hidden: bool, by: User | None) -> bool:
    if learning.hidden == hidden:
        return False
    learning.hidden = hidden
    learning.save(update_fields=["hidden"])
    _index(learning)
    _record_change(learning, _What.HIDDEN if hidden else _What.SHOWN, by)
    return True


def _index(learning: Learning) -> None:
    """Update the search index: lexical at once, semantic by a job; hidden learnings are removed.

    Laptops show no copy any more of a context that may quote the learning as it was.
    """
    context_version.advance(learning.user, learning.project)
    stage(learning.user, learning.project, [learning])
    if not learning.hidden and reset(Learning.objects.filter(pk=learning.pk)):
        enqueue(EMBED_JOB)


def _delete(learning: Learning, by: User | None) -> None:
    key, team = learning.pk, learning.project.team_id if learning.project else None
    context_version.advance(learning.user, learning.project)
    learning.delete()
    who = f" by user {by.pk}" if by and by != learning.user else ""
    emit(
        learning.user,
        type="capture.learning_deleted",
        source=SOURCE,
        message=f"learning {key} was deleted{who}",
        data={"learning": key, "by": by.pk if by else None},
        scope_ids=[f"learning:{key}", *([f"team:{team}"] if team else [])],
        project=learning.project_id,
    )


def _record_change(
    learning: Learning, what: LearningChange.What, by: User | None, before: str = "", reason: str = ""
) -> None:
    LearningChange.objects.create(learning=learning, what=what, before=before, made_by=by)
    if by is not None:
        note_review(learning, by)
    who = f" by user {by.pk}" if by and by != learning.user else ""
    emit(
        learning.user,
        type=f"capture.learning_{what}",
        source=SOURCE,
        message=f"learning {learning.pk} was {what}{who}",
        data={"reason": reason} if reason else {},
        scope_ids=[f"learning:{learning.pk}"],
        project=learning.project_id,
    )
