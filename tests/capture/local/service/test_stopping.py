"""Rest that ends when the process is told to end, at whatever moment that comes."""

from __future__ import annotations

import os
import signal
import threading
import time

from capture.local.service.stopping import SIGNALS, stop_by_signals


def test_a_wait_lasts_as_long_as_it_should():
    with stop_by_signals() as stop:
        before = time.monotonic()
        assert not stop.wait(0.05)
        assert time.monotonic() - before >= 0.05
        assert not stop.requested()


def test_every_signal_ends_a_wait_and_those_after_it_are_over_at_once():
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


def test_afterwards_the_signals_mean_what_they_meant():
    before = {number: signal.getsignal(number) for number in SIGNALS}
    with stop_by_signals():
        assert all(signal.getsignal(number) != before[number] for number in SIGNALS)
    assert {number: signal.getsignal(number) for number in SIGNALS} == before
