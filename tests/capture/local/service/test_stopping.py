"""Waits that end when the process gets a signal, at any moment."""

from __future__ import annotations

import os
import signal
import threading
import time

from capture.local.service.stopping import SIGNALS, stop_by_signals


def test_wait_without_a_signal_lasts_its_time():
    with stop_by_signals() as stop:
        before = time.monotonic()
        assert not stop.wait(0.05)
        assert time.monotonic() - before >= 0.05
        assert not stop.requested()


def test_each_signal_ends_the_wait_and_later_waits_end_at_once():
    for number in SIGNALS:
        with stop_by_signals() as stop:
            timer = threading.Timer(0.05, os.kill, [os.getpid(), number])
            timer.start()
            assert stop.wait(60)
            assert stop.wait(60)
            assert stop.requested()
            timer.join()


def test_signals_at_any_moment_of_a_wait_neither_block_nor_get_lost():
    def send() -> None:
        for _ in range(200):
            os.kill(os.getpid(), signal.SIGTERM)

    with stop_by_signals() as stop:
        sender = threading.Thread(target=send)
        sender.start()
        while not stop.wait(0.0001):
            pass
        sender.join()
        assert stop.requested()


def test_previous_handlers_are_restored():
    before = {number: signal.getsignal(number) for number in SIGNALS}
    with stop_by_signals():
        assert all(signal.getsignal(number) != before[number] for number in SIGNALS)
    assert {number: signal.getsignal(number) for number in SIGNALS} == before
