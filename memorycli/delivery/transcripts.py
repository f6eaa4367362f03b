"""The channel of the reports on which transcripts were read, so that the server knows how many yield learnings."""

from __future__ import annotations

from capture.local.scanning import transcript_report
from capture.local.scanning.state import STATE_FOLDER
from memorycli.delivery import report
from memorycli.delivery.report import ChannelReport
from memorycli.delivery.scope import Scope
from memoryserver.client import home_folder
from memoryserver.client.http import Client


def deliver(client: Client, scope: Scope) -> ChannelReport:
    """Report what has changed. Raises UnauthorizedError, OSError."""
    folder = home_folder.path() / STATE_FOLDER
    result = transcript_report.report(folder, client.post, server=client.url, retry_failed=scope.retry_failed)
    return report.of(result)
