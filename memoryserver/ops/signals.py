"""What the operator should know of, for whoever keeps a record of it."""

from __future__ import annotations

from django.dispatch import Signal

alert_raised = Signal()
"""Something needs a person. Sent with `message` (one line) and `about` (ids that it concerns), by whoever found it."""
