"""An alert while a disk of the data or of the backups has little room, since nothing can be stored once it is full."""

from __future__ import annotations

from memoryserver.ops.alerting import alerts
from memoryserver.ops.doctor import machine

KEY = "disk"


def check() -> None:
    """Begin the alert where `manage.py doctor` has a finding about a disk, with its text, and end it otherwise."""
    findings = [f"{finding.what}. To fix: {finding.fix}" for finding in machine.disk()]
    if findings:
        alerts.begin(KEY, "; ".join(findings))
    else:
        alerts.end(KEY)
