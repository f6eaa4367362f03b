"""Signals of alerts, for the audit log; sent by `ops.alerting.alerts`."""

from __future__ import annotations

from django.dispatch import Signal

alert_raised = Signal()
"""An alert was reported. Sent with `message` (one line) and `about` (ids that it concerns)."""

alert_ended = Signal()
"""An alert ended. Sent with `message` and `about` as they were when it was raised."""
