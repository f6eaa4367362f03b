"""Signals of the accounts app, for the audit log."""

from __future__ import annotations

from django.dispatch import Signal

token_issued = Signal()
"""Sent by ApiToken with `token` after it was created, in the same transaction if there is one."""

token_revoked = Signal()
"""Sent by ApiToken with `token` after it was revoked; not when it already was."""

token_used_elsewhere = Signal()
"""Sent by ApiToken with `token` and `address` when a token is used from an address that is new for it."""
