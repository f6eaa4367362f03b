"""The job that sends the weekly mails. Its dotted name is stored in schedules: never rename it."""

from __future__ import annotations

from memoryserver.digest import sending


def send_due() -> int:
    """Send the mails that are due and return how many were sent."""
    return sending.send_due()
