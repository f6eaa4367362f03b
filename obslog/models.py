"""Observations and their scope ids. Rows are only added; database triggers reject changes.

Both tables are partitioned by month: see `obslog.partitions`.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from functools import cached_property
from typing import Any

from django.conf import settings
from django.contrib.postgres.indexes import BrinIndex
from django.db import models
from django.db.models import F, Func, ProtectedError, Q, QuerySet, Value

from memoryserver.common.ids import milliseconds_of
from memoryserver.vectors.models import Embeddable
from obslog.triggers import AppendOnly, InFlight


def refuse_deletion(collector: Any, field: models.Field[Any, Any], rows: QuerySet[Any], using: str) -> None:
    """Protect what observations refer to (`on_delete`), like PROTECT but without loading all observations."""
    first = set(rows[:1])
    if first:
        raise ProtectedError("the observation log has entries of this user", first)


# Makes Django pass a query instead of all rows.
refuse_deletion.lazy_sub_objs = True  # type: ignore[attr-defined]


class Observation(models.Model):
    """One event: type, source, a one-line message, details, and data.

    The id is a UUIDv7 created where the event was seen. `created_at`, in Unix milliseconds, is the time in it (a
    constraint checks that), so ids are ordered by time, with a fixed order of ties, and an index that ends in `id` is
    an index by time. Where that time cannot be right, the id is made at arrival, and `reported_id` is the one that was
    sent. Only events of the server itself have no user. `arrival` numbers the observations in the order in
    which they arrived, which may differ from the order of their times.
    """

    id = models.UUIDField(primary_key=True)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=refuse_deletion, related_name="+", db_index=False
    )
    type = models.CharField(max_length=100)
    source = models.CharField(max_length=200)
    message = models.TextField()
    details = models.TextField(null=True, blank=True)  # noqa: DJ001  (null and blank differ in the log's format)
    data = models.JSONField(null=True, blank=True)
    created_at = models.BigIntegerField()
    category = models.GeneratedField(
        expression=Func(F("source"), Value(":"), Value(1), function="split_part"),
        output_field=models.CharField(max_length=200),
        db_persist=True,
        help_text="`source` up to its colon",
    )
    reported_id = models.UUIDField(
        null=True, editable=False, help_text="the id that was sent, where its time cannot be right"
    )
    arrival = models.BigIntegerField(db_default=Func(Value("obslog_arrival"), function="nextval"), editable=False)

    class Meta:
        ordering = ["id"]
        indexes = [
            models.Index(fields=["user", "id"], name="obslog_user"),
            models.Index(fields=["type", "user", "id"], name="obslog_type"),
            models.Index(
                fields=["user", "source", "id"],
                name="obslog_source",
                opclasses=["int8_ops", "varchar_pattern_ops", "uuid_ops"],
            ),
            models.Index(fields=["user", "category", "id"], name="obslog_category"),
            models.Index(fields=["user", "arrival"], name="obslog_arrived"),
            models.Index(
                fields=["user", "reported_id"], name="obslog_reported", condition=Q(reported_id__isnull=False)
            ),
            BrinIndex(fields=["created_at"], name="obslog_created"),
        ]
        triggers = [AppendOnly(name="append_only"), InFlight(name="in_flight")]

    def __str__(self) -> str:
        return f"{self.type}: {self.message}"

    @property
    def reported_at(self) -> int | None:
        """The time that the client gave, in Unix milliseconds, where it cannot be right; else None."""
        return None if self.reported_id is None else milliseconds_of(self.reported_id)

    @property
    def created(self) -> datetime:
        """The time of the observation, in UTC."""
        return datetime.fromtimestamp(self.created_at / 1000, UTC)

    @property
    def data_text(self) -> str:
        """The data as JSON for people to read, indented."""
        return json.dumps(self.data, ensure_ascii=False, indent=2)

    @cached_property
    def scope_ids(self) -> list[str]:
        """The sorted scope ids; for several observations `query.load_scope_ids` is faster."""
        return sorted(self.scopes.values_list("scope_id", flat=True))


class Scope(models.Model):
    """One id that an observation is about; a many-to-many relation.

    The ids are opaque strings of other systems. They have no table of their own, since transactions that insert the
    same two new ids in different order would deadlock; this is the junction table, keyed by both. `user` is the
    observation's, so that one user's ids can be found by an index.
    """

    pk = models.CompositePrimaryKey("observation_id", "scope_id")
    observation = models.ForeignKey(Observation, on_delete=models.DO_NOTHING, related_name="scopes", db_index=False)
    scope_id = models.CharField(max_length=200)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        on_delete=models.DO_NOTHING,
        related_name="+",
        db_index=False,
        db_constraint=False,
    )

    class Meta:
        indexes = [models.Index(fields=["scope_id", "user", "observation"], name="obslog_scope_about")]
        triggers = [AppendOnly(name="append_only")]

    def __str__(self) -> str:
        return self.scope_id


class SearchMark(models.Model):
    """The arrival up to which all observations are staged for search. A single row, see `obslog.indexing`."""

    arrival = models.BigIntegerField(default=0)

    def __str__(self) -> str:
        return f"arrival {self.arrival}"


class Unembedded(Embeddable):
    """An observation that is staged for search and waits to be embedded; deleted once it is.

    Has no foreign key, which would block dropping a month.
    """

    observation_id = models.UUIDField(unique=True)

    class Meta:
        verbose_name = "observation to embed"
        verbose_name_plural = "observations to embed"

    def __str__(self) -> str:
        return f"observation {self.observation_id}"
