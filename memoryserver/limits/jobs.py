"""Jobs of the limits."""

from __future__ import annotations

import time

from django.utils import timezone

from memoryserver.common.counted import counted
from memoryserver.limits.models import CacheEntry, Counter

_LONGEST_WINDOW = 24 * 3600  # seconds


def forget_old_counts() -> str:
    """Delete counters of windows that are over, and what has expired in the cache."""
    counters, _ = Counter.objects.filter(window__lt=time.time() - _LONGEST_WINDOW).delete()
    entries, _ = CacheEntry.objects.filter(expires__lt=timezone.now()).delete()
    return f"{counted(counters, 'counter')} and {counted(entries, 'entry', 'entries')} of the cache deleted"
