"""What the operator should know of, for whoever keeps a record of it; `ops.alerts` sends both."""

from __future__ import annotations

from django.dispatch import Signal

alert_raised = Signal()
"""Something needs a person. Sent with `message` (one line) and `about` (ids that it concerns)."""

alert_ended = Signal()
"""What needed a person is over. Sent with the same, as they were when it was raised."""
