"""Entries as documents: one by its id, and those next to it in time."""

from __future__ import annotations

from ghap import reading
from ghap.intake import receive
from memoryserver.accounts.models import User
from tests.support.ghap_entries import falsified

ID = "ghap_20261120_143022_a1b2c3"


def test_entry_is_told_in_the_order_in_which_it_came_about(alice: User) -> None:
    earlier = {"timestamp": "2026-11-20T14:31:00Z", "hypothesis": "h1", "action": "a1", "prediction": "p1"}
    receive(alice, None, [falsified(history=[earlier], notes=["asked"], check="pytest", goal="\u202eevil \x1b[31mred")])

    (document,) = reading.read(alice, ID)
    assert document.text.split("\n") == [
        "Goal: evil red",
        "1. hypothesis: h1",
        "1. action: a1",
        "1. prediction: p1",
        "Hypothesis: It waits for a lock",
        "Action: Set lock_timeout",
        "Prediction: It fails within a minute",
        "Check: pytest",
        "Outcome: falsified - It still hung",
        "Surprise: No lock was held at all",
        "Root cause: wrong-assumption - The disk was full",
        "What worked: Reading the kernel log",
        "Takeaway: Look at df first",
        "Note: asked",
    ]
