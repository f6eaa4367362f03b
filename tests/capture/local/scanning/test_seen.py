"""The same answers as a plain list would give, however few or many are asked for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capture.local.scanning import seen
from capture.local.scanning.seen import MOST_SEEN, Seen

UUIDS = st.lists(st.text(max_size=3), max_size=60)


@given(UUIDS, UUIDS)
def test_what_was_added_is_known_also_after_it_was_kept_as_text(first: list[str], second: list[str]):
    kept = Seen()
    for uuid in first:
        kept.add(uuid)
    kept = Seen(kept.to_text())
    known = {uuid for uuid in first if uuid}
    for uuid in second:
        assert (uuid in kept) == (uuid in known)
        assert kept.add(uuid) == (uuid not in known)
        known |= {uuid} - {""}
    assert len(kept) == len(known)
    assert all(uuid in kept for uuid in known)


def test_many_questions_are_answered_as_few_are():
    kept = Seen("".join(_text_of(number) for number in range(200)))
    assert [str(number) in kept for number in range(300)] == [number < 200 for number in range(300)]


def test_a_digest_across_two_others_is_none():
    """Only what begins where a digest begins counts."""
    text = _text_of(1) + _text_of(2)
    inside = text[3:11]
    kept = Seen(text)
    assert not kept._holds(inside)
    assert kept._holds(text[:8])


def test_the_oldest_are_forgotten_when_there_are_too_many(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(seen, "MOST_SEEN", 10)
    kept = Seen()
    for number in range(25):
        kept.add(str(number))
    assert len(kept) == 25
    kept.forget_oldest()
    assert (len(kept), "14" in kept, "15" in kept) == (10, False, True)
    assert MOST_SEEN == 20_000


def test_text_that_was_cut_is_read_as_far_as_it_goes():
    assert len(Seen(_text_of(1) + "abc")) == 1


def _text_of(number: int) -> str:
    one = Seen()
    one.add(str(number))
    return one.to_text()
