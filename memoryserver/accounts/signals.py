"""What happens to accounts, for whoever keeps a record of it."""

from __future__ import annotations

from django.dispatch import Signal

token_issued = Signal()
"""Sent by ApiToken with `token`, after it was made, in the same transaction if there is one."""

token_revoked = Signal()
"""Sent by ApiToken with `token`, after it was revoked; not when that is done again."""
