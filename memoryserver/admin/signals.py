"""Signals of the admin, for the audit log."""

from __future__ import annotations

from django.dispatch import Signal

row_deleted = Signal()
"""Sent by a row's model before the admin deletes it, in the same transaction.

`key` is its primary key, `by` the administrator, and `digest` the SHA-256 of its text form: "" if that names a person.
`team` is the primary key of the team that its project belongs to, None if there is none.
"""

row_saved = Signal()
"""Sent by a row's model after the admin added or changed it, in the same transaction.

`row` is the row, `by` the administrator, `added` whether it is new, `fields` the labels of its own fields that were
changed, and `team` as of `row_deleted`.
"""

private_rows_viewed = Signal()
"""Sent by the model of private rows when the admin shows them to `by`, whose they are not.

`author` is the primary key of the user whose rows they are, and `keys` are their primary keys.
"""
