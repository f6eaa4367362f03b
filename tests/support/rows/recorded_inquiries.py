"""Inquiries that a server records after it has sent the answers."""

from __future__ import annotations

import time
from collections.abc import Sequence

from memoryserver.inquiries.models import Inquiry

_LIMIT = 30.0  # seconds


def recorded_inquiries(count: int) -> Sequence[Inquiry]:
    """All inquiries, the first first, once there are `count`, or those that there are after a while."""
    deadline = time.monotonic() + _LIMIT
    while Inquiry.objects.count() < count and time.monotonic() < deadline:
        time.sleep(0.01)
    return list(Inquiry.objects.order_by("pk"))
