"""Sentences with accounts that agents give without any of the usual words."""

from __future__ import annotations

import pytest

from capture.local.transcripts.messages import Role
from tests.capture.local.extraction.rules.spoken import types_of


@pytest.mark.parametrize(
    ("kind", "sentence"),
    [
        ("security", "The user input from `name` reaches `subprocess.run` with `shell=True`."),
        ("optimization", "The import of `orders.csv` fell by 40 seconds with the new index."),
        ("solution", "The dashboard showed yesterday's totals, as `refresh_view` ran before `load_orders`."),
        ("solution", "Reports kept arriving twice because `send_report` had two schedules in `crontab`."),
        ("gotcha", "`page_size` does not limit the rows, only the bytes of each response in `client.py`."),
        ("learning", "Reading the source of `sync.py`, the cursor is written before the batch is sent."),
        ("learning", "Apparently, the `vacuum` job locks `orders` for the whole night."),
    ],
)
def test_statement_is_a_learning_of_its_type(kind: str, sentence: str) -> None:
    assert types_of(Role.AGENT, sentence) == [kind]


@pytest.mark.parametrize(
    "sentence",
    [
        "The timeout in `settings.py` went from 10 seconds to 30 seconds.",
        "The user input from `name` is checked in `forms.py` first.",
        "The dashboard shows the totals that `load_orders` wrote.",
    ],
)
def test_sentence_that_only_looks_like_one_is_no_learning(sentence: str) -> None:
    assert types_of(Role.AGENT, sentence) == []
