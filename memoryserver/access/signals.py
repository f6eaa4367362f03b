"""Signals of the access app, for the audit log."""

from __future__ import annotations

from django.dispatch import Signal

invitation_made = Signal()
"""Sent by Invitation with `invitation` and `by`, a user or None for the shell, after it was stored."""

invitation_accepted = Signal()
"""Sent by Invitation with `invitation` and `user`, whose account was made, in the same transaction."""

invitation_withdrawn = Signal()
"""Sent by Invitation with `invitation` and `by`, a user or None for the shell, before it is deleted."""

sign_in_refused = Signal()
"""Sent by SocialLogin with `request` and `user`, whom the provider named and who may not sign in by it."""
