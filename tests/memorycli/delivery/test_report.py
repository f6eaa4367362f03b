from __future__ import annotations

import pytest

from memorycli.delivery import report
from memorycli.delivery.report import ChannelReport
from memoryserver.client.delivery import Report


@pytest.mark.parametrize(
    ("delivered", "line", "complete"),
    [
        (Report(), "nothing new", True),
        (Report(sent=2), "2 sent", True),
        (Report(sent=2, failed=1), "2 sent, 1 failed and kept (send them again with --retry-failed)", False),
        (Report(sent=2, later="x refused (404)"), "2 sent, the rest waits: x refused (404)", False),
        (Report(later="x is away", unreachable=True), "offline: x is away", False),
    ],
)
def test_line_says_what_became_of_the_items(delivered: Report, line: str, complete: bool) -> None:
    shown = report.of(delivered)

    assert (shown.line, shown.complete) == (line, complete)
    assert (shown.offline, shown.has_news) == (delivered.unreachable, line != "nothing new")


def test_offline_line_counts_what_waits_and_keeps_the_pause() -> None:
    shown = report.of(Report(later="x is away", unreachable=True, retry_after=9.0), waiting="3 entries")

    assert (shown.line, shown.retry_after) == ("offline, 3 entries wait: x is away", 9.0)


def test_items_that_failed_before_count_where_they_are_given() -> None:
    shown = report.of(Report(sent=1), failed=2, more=("3 removed",), details=("a", "b"))

    assert shown.line == "1 sent, 2 failed and kept (send them again with --retry-failed), 3 removed"
    assert (shown.complete, shown.details) == (False, ("a", "b"))


def test_json_has_the_four_keys() -> None:
    shown = ChannelReport("x", ("y",), complete=False, offline=True, retry_after=3.0)

    assert shown.as_json() == {"line": "x", "details": ("y",), "complete": False, "offline": True}
