"""Identities of learnings when two projects become one: of two with one wording one stays, and so does its learning."""

from __future__ import annotations

from capture import identities
from capture.merging.merge import better, merge
from capture.models import Learning, LearningIdentity
from memoryserver.accounts.models import Project, User


def move_identities(source: Project, target: Project) -> None:
    """Move the identities of learnings from `source` to `target`.

    Where an author has one wording in both, the learnings are merged, unless a person hid one of them. A wording that
    was deleted in one project and is shown in the other stays shown.
    """
    rows = LearningIdentity.objects.filter(project=source)
    for user in rows.order_by("user").values_list("user", flat=True).distinct():
        identities.lock(User(pk=user))
    in_target = LearningIdentity.objects.filter(project=target, digest__in=rows.values("digest"))
    present = {(row.user_id, row.type, row.digest): row for row in in_target.select_related("learning")}
    for row in rows.select_related("learning"):
        same = present.get((row.user_id, row.type, row.digest))
        if same is not None:
            _unite(row, same)
    LearningIdentity.objects.filter(project=source).update(project=target)


def _unite(row: LearningIdentity, same: LearningIdentity) -> None:
    """Delete the identity `row`; `same`, of the same wording, gets its learning or stays with one merged with it."""
    row.delete()
    if same.learning is None:
        same.learning = row.learning
        same.save(update_fields=["learning"])
    elif row.learning is not None and row.learning != same.learning:
        shown = Learning.objects.filter(hidden=False, merged_into=None).select_related("user", "project")
        pair = list(shown.filter(pk__in=[row.learning.pk, same.learning.pk]))
        if len(pair) == 2:
            merge(*better(*pair))
