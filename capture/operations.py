"""Capture's section of the page of the operation: the aims with their denominators, and files that were not stored."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from capture.metrics import reports
from capture.metrics.yields import SESSION_MESSAGES
from capture.models import CaptureFailure
from memoryserver.operations.sections import Section

FILES = 20


def context() -> Mapping[str, Any]:
    """Return the figures of the whole server, of thirty days, and the latest files that are still not stored."""
    open_files = CaptureFailure.objects.filter(resolved_at=None).select_related("user", "project")
    return {
        **reports.of_server(),
        "files": open_files[:FILES],
        "file_count": open_files.count(),
        "session_messages": SESSION_MESSAGES,
    }


SECTION = Section("capture", "Is capture working?", "capture/_operations.html", context)
