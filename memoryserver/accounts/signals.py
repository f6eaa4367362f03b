"""Signals of the accounts app, for the audit log."""

from __future__ import annotations

from django.dispatch import Signal

token_issued = Signal()
"""Sent by ApiToken with `token` after it was created by `by`, in the same transaction if there is one.

`by` is None for the server, and for who works at its shell; that is so for `token_revoked` too.
"""

token_revoked = Signal()
"""Sent by ApiToken with `token` after it was revoked by `by`; not when it already was."""

token_used_elsewhere = Signal()
"""Sent by ApiToken with `token` and `address` when a token is used from an address that is new for it."""

project_moved = Signal()
"""Sent by Project with `project`, the team's one, after it came from `origin` (an owner or a team), and with `by`.

`merged` is the primary key of the project that was merged into it and is gone, None if there was no second one.
"""

project_renamed = Signal()
"""Sent by Project with `project`, which has a new key, with its key before it, `old`, and with `by`.

`merged` is the primary key of the project that had the key before and is gone, None if there was no second one.
"""

membership_changed = Signal()
"""Sent by Membership with `team`, `user`, `role` ("" for who is no member any more) and `by`, None for the server."""
