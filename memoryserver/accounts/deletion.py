"""Deletion of a user: what only they could see is deleted, what a team shares stays without a name.

The row of the user stays too, under another name, since the team's rows and the observation log, which cannot be
changed, refer to it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from django.contrib.admin.models import LogEntry
from django.contrib.contenttypes.models import ContentType
from django.db import models, transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from memoryserver.accounts import memberships
from memoryserver.accounts.models import Membership, OwnedModel, User
from memoryserver.accounts.signals import membership_changed

_PRIVATE = Q(project=None) | Q(project__team=None)


def private_rows(user: User) -> Iterator[QuerySet[Any]]:
    """Yield the rows that are deleted with `user`: of each model that refers to users, those that no team shares.

    Models are found by their foreign keys, so that a new one is included. A row that is part of another row of its
    user (a call of a trajectory) is deleted or kept with that one.
    """
    for relation in User._meta.get_fields(include_hidden=True):
        if not isinstance(relation, models.ManyToOneRel) or relation.on_delete is not models.CASCADE:
            continue
        model, field = relation.related_model, relation.field.name
        rows = model._default_manager.filter(**{field: user})
        if not issubclass(model, OwnedModel):
            if model is not LogEntry:  # what an administrator did is evidence
                yield rows
        elif not _is_part(model):
            yield rows.filter(_PRIVATE)


def summary(user: User) -> Mapping[str, int]:
    """Return how many rows `delete` would delete, by the plural names of their models; parts are not counted."""
    counts = {str(rows.model._meta.verbose_name_plural): rows.count() for rows in private_rows(user)}
    return {name: count for name, count in counts.items() if count}


@transaction.atomic
def delete(user: User, by: User | None = None) -> Mapping[str, int]:
    """Delete `user`'s private rows and everything that tells who they are; return the deleted rows by model.

    They cannot sign in again, their tokens are gone, and the team's rows say `deleted user N`. A team without a lead
    gets its oldest member as one. Deleting again has no effect. `by` is the administrator, None for the server.
    """
    deleted: Counter[str] = Counter()
    teams = list(user.teams.all())
    for rows in private_rows(user):
        deleted.update(rows.delete()[1])
    for team in teams:
        membership_changed.send(Membership, team=team, user=user, role="", by=by)
        memberships.appoint_missing_lead(team)
    user.username = f"deleted user {user.pk}"  # the space keeps it from being the name of somebody else
    user.first_name = user.last_name = user.email = user.time_zone = ""
    user.is_active = user.is_staff = user.is_superuser = False
    user.deleted_at = user.deleted_at or timezone.now()
    user.set_unusable_password()
    user.save()
    user.groups.clear()
    user.user_permissions.clear()
    content_type = ContentType.objects.get_for_model(User)
    LogEntry.objects.filter(content_type=content_type, object_id=str(user.pk)).update(object_repr=user.username)
    return deleted


def _is_part(model: type[models.Model]) -> bool:
    """Return whether rows of `model` belong to a row of another OwnedModel."""
    return any(
        isinstance(field, models.ForeignKey)
        and field.remote_field.on_delete is models.CASCADE
        and issubclass(field.related_model, OwnedModel)
        for field in model._meta.get_fields()
    )
