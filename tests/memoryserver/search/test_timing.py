from __future__ import annotations

import re
import time

import pytest

from memoryserver.accounts.models import User
from memoryserver.embedding import passes
from memoryserver.search.service import Search, search
from memoryserver.search.timing import Timing, header
from tests.memoryserver.search.notes import put, registered


def test_time_is_counted_for_its_phase_and_the_rest_for_none() -> None:
    timing = Timing()
    start = time.perf_counter()
    for _ in range(2):
        with timing.phase("embed"):
            time.sleep(0.01)
    durations = timing.durations()
    total = 1000 * (time.perf_counter() - start)

    assert list(durations) == ["embed", "model", "rank", "rest"]
    assert durations["embed"] >= 20
    assert durations["rank"] == 0
    assert durations["rest"] > 0
    assert sum(durations.values()) <= total + 1


def test_model_is_the_part_of_embedding_in_which_it_computes() -> None:
    timing = Timing()
    with timing.embedding():
        time.sleep(0.02)
        passes.add(0.005)
    passes.add(1.0)  # for something else

    durations = timing.durations()
    assert durations["model"] == 5
    assert durations["embed"] >= 20


def test_passes_side_by_side_count_no_longer_than_their_question_waited() -> None:
    timing = Timing()
    with timing.embedding():
        passes.add(60)

    durations = timing.durations()
    assert durations["model"] == durations["embed"]


def test_header_has_the_form_of_server_timing() -> None:
    assert header({"embed": 12.34, "rank": 5.0, "rest": 0.04}) == "embed;dur=12.3, rank;dur=5.0, rest;dur=0.0"


def test_phase_that_fails_is_counted_too() -> None:
    timing = Timing()

    @timing.phase("rank")
    def fail() -> None:
        time.sleep(0.005)
        raise KeyError

    with pytest.raises(KeyError):
        fail()

    assert timing.durations()["rank"] >= 5


def test_search_by_words_spends_nothing_on_embedding(alice: User) -> None:
    with registered():
        put(alice, "one", "payment worker")
        timing = search(alice, Search("payment", source="notes", mode="lexical")).timing

    assert timing["embed"] == 0
    assert re.fullmatch(r"embed;dur=0\.0, model;dur=0\.0, rank;dur=\d+\.\d, rest;dur=\d+\.\d", header(timing))
