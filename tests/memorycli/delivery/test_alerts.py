"""Where an alert of capture goes: the log, the outbox of observations and, if configured, the desktop."""

from __future__ import annotations

import json
import logging
from pathlib import Path

import pytest

from memorycli.delivery import alerts, observations


def observed() -> list[dict[str, object]]:
    return [json.loads(path.read_bytes()) for path in observations.outbox().waiting()]


def test_alert_and_recovery_are_observations_of_capture() -> None:
    alerts.alert("the queue is full")
    alerts.recovered("the queue has room")

    assert [(item["type"], item["source"], item["message"]) for item in observed()] == [
        ("capture.alert", "client:capture", "the queue is full"),
        ("capture.recovered", "client:capture", "the queue has room"),
    ]


def test_alert_is_logged_as_an_error_and_a_recovery_as_information(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, logger="capture.alerts"):
        alerts.alert("down")
        alerts.recovered("up")

    assert [(record.levelname, record.getMessage()) for record in caplog.records] == [
        ("ERROR", "ALERT: down"),
        ("INFO", "up"),
    ]


def test_observation_of_an_alert_is_one_bounded_line() -> None:
    alerts.alert("first\nsecond " + "x" * 5000)

    message = str(observed()[0]["message"])
    assert (message.startswith("first second xxx"), "\n" in message, len(message) <= 1000) == (True, False, True)


def test_alert_reaches_the_desktop_only_where_notifications_are_configured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("notify-send", "osascript"):
        (programs / name).write_text(f'#!/bin/sh\nfor last; do :; done; echo "$last" >> {programs}/shown\n')
        (programs / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:/usr/bin:/bin")

    alerts.alert("not shown")
    monkeypatch.setenv("MEMORYSERVER_NOTIFY", "1")
    alerts.alert("shown")

    assert (programs / "shown").read_text() == "shown\n"


def test_alert_is_logged_and_raises_nothing_where_no_other_way_works(
    home: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    home.write_text("a file in place of the folder")
    monkeypatch.setenv("MEMORYSERVER_NOTIFY", "1")
    monkeypatch.setenv("PATH", "/nowhere")

    alerts.alert("trouble\nERROR forged")

    assert caplog.records[0].getMessage() == "ALERT: trouble\nERROR forged"  # the log's file makes it one line
