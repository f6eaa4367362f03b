"""When the signals of alerts are sent, and with what."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from memoryserver.ops.alerting import alerts
from memoryserver.ops.alerting.signals import alert_ended, alert_raised
from memoryserver.ops.models import Alert

pytestmark = pytest.mark.django_db


@pytest.fixture
def received() -> Iterator[list[tuple[str, str, list[str]]]]:
    """The signals sent, each with its message and what it is about."""
    signals: list[tuple[str, str, list[str]]] = []

    def raised(sender: Any, message: str, about: list[str], **arguments: Any) -> None:
        signals.append(("raised", message, about))

    def ended(sender: Any, message: str, about: list[str], **arguments: Any) -> None:
        signals.append(("ended", message, about))

    alert_raised.connect(raised)
    alert_ended.connect(ended)
    yield signals
    alert_raised.disconnect(raised)
    alert_ended.disconnect(ended)


def test_alert_is_announced_when_it_is_reported_and_when_it_ends(received: list[tuple[str, str, list[str]]]) -> None:
    for _ in range(3):
        alerts.begin("disk", "the disk\nis full", about=["sda"], after=2)
    for _ in range(2):
        alerts.end("disk")

    assert received == [("raised", "the disk is full", ["sda"]), ("ended", "the disk is full", ["sda"])]


def test_problem_that_ends_before_it_is_reported_is_not_announced(received: list[tuple[str, str, list[str]]]) -> None:
    alerts.begin("disk", "the disk is full", after=2)
    alerts.end("disk")

    assert received == []


def test_alert_that_a_receiver_refuses_is_raised_at_the_next_occurrence(
    received: list[tuple[str, str, list[str]]],
) -> None:
    def refuse(**arguments: Any) -> None:
        raise ValueError("the log is full")

    alert_raised.connect(refuse)
    try:
        with pytest.raises(ValueError, match="the log is full"):
            alerts.begin("disk", "the disk is full")
        stored = Alert.objects.count()
    finally:
        alert_raised.disconnect(refuse)
    received.clear()

    assert (stored, alerts.begin("disk", "the disk is full")) == (0, True)
    assert received == [("raised", "the disk is full", [])]
