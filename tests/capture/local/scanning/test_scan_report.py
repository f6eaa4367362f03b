"""The report of a cycle."""

from __future__ import annotations

from dataclasses import asdict

from capture.local.scanning.scan_report import ScanReport
from tests.support.laptops.capture_laptop import Laptop


def test_report_of_a_cycle_without_transcripts_is_empty() -> None:
    assert set(map(bool, asdict(ScanReport()).values())) == {False}


def test_lists_of_two_reports_are_their_own(captured: Laptop) -> None:
    assert captured.scan() == ScanReport(transcripts=1)
    ScanReport().problems.append("a problem")
    assert ScanReport().problems == []
