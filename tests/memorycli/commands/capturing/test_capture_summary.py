"""Summaries of scans and deliveries."""

from __future__ import annotations

import re

from capture.local.queue.processor import Processed
from capture.local.scanning.scan_report import ScanReport
from memorycli.commands.capturing.capture_summary import delivery_summary, scan_summary


def numbers(line: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", line)]


def test_scan_has_its_counts_in_order() -> None:
    report = ScanReport(transcripts=9, changed=8, messages=7, learnings=6, queued=["a", "b"])

    assert numbers(scan_summary(report)) == [9, 8, 7, 6, 2]


def test_scan_without_learnings_names_no_queue_files() -> None:
    assert numbers(scan_summary(ScanReport(transcripts=9, changed=8, messages=7))) == [9, 8, 7]


def test_scan_without_transcripts_names_the_option() -> None:
    assert "--root" in scan_summary(ScanReport())


def test_delivery_names_failed_and_waiting_files_only_where_there_are_some() -> None:
    assert numbers(delivery_summary(Processed(delivered=5, stored=4, known=3))) == [5, 4, 3]
    assert numbers(delivery_summary(Processed(delivered=5, stored=4, known=3, failed=2, waiting=1))) == [5, 4, 3, 2, 1]


def test_files_that_were_left_out_are_named_up_to_ten() -> None:
    skipped = [f"/t/{number}.jsonl: is not a regular file" for number in range(12)]

    first, *lines = scan_summary(ScanReport(skipped=skipped)).splitlines()

    assert first == "No transcripts found; name their folder with --root."
    assert lines == [*(f"skipped    {line}" for line in skipped[:10]), "skipped    2 more (memory doctor lists them)"]
