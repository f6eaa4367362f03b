"""The log's jobs. Their dotted names are stored in schedules: never rename one."""

from __future__ import annotations

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from obslog import partitions, privileges
from obslog.emit import emit
from obslog.partitions import Month

SOURCE = "system:obslog"


@transaction.atomic
def make_partitions() -> int:
    """Make the log's coming months and return how many were missing."""
    made = partitions.ensure(timezone.now())
    privileges.revoke_changes()
    if made:
        names = [str(month) for month in made]
        message = f"made the months {', '.join(names)}"
        emit(None, type="log.months_made", source=SOURCE, message=message, data={"months": names})
    return len(made)


@transaction.atomic
def drop_old_months() -> int:
    """Drop the months that are older than the setting keeps, tell the log, and return how many observations went."""
    keep = settings.OBSLOG_RETENTION_MONTHS
    if keep <= 0:
        return 0
    dropped = partitions.drop_before(Month.of(timezone.now()).plus(-keep))
    for name, count in dropped:
        emit(
            None,
            type="log.month_dropped",
            source=SOURCE,
            message=f"dropped {name} with {count} observations: {keep} months are kept",
            data={"dropped": name, "observations": count, "kept_months": keep},
        )
    return sum(count for _, count in dropped)
