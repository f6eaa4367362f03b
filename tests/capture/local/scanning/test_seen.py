"""The same answers as a plain list would give, however few or many are asked for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capture.local.scanning import seen as seen_module
from capture.local.scanning.seen import MOST_SEEN, Seen

UUIDS = st.lists(st.text(max_size=3), max_size=60)


@given(UUIDS, UUIDS)
def test_added_uuids_are_contained_also_after_a_roundtrip_through_text(first: list[str], second: list[str]):
    seen = Seen()
    for uuid in first:
        seen.add(uuid)
    seen = Seen(seen.text_after(0))
    known = {uuid for uuid in first if uuid}
    for uuid in second:
        assert (uuid in seen) == (uuid in known)
        assert seen.add(uuid) == (uuid not in known)
        known |= {uuid} - {""}
    assert len(seen) == len(known)
    assert all(uuid in seen for uuid in known)


def test_many_lookups_have_the_results_of_few():
    seen = Seen("".join(_text_of(number) for number in range(200)))
    assert [str(number) in seen for number in range(300)] == [number < 200 for number in range(300)]


def test_text_across_two_digests_is_not_contained():
    """Only what begins where a digest begins counts."""
    text = _text_of(1) + _text_of(2)
    inside = text[3:11]
    seen = Seen(text)
    assert not seen._holds(inside)
    assert seen._holds(text[:8])


def test_the_oldest_are_forgotten_when_there_are_too_many(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(seen_module, "MOST_SEEN", 10)
    seen = Seen()
    for number in range(25):
        seen.add(str(number))
    assert (len(seen), seen.forget_oldest()) == (25, True)
    assert (len(seen), "14" in seen, "15" in seen) == (10, False, True)
    assert not seen.forget_oldest()
    assert MOST_SEEN == 20_000


def test_text_that_was_cut_is_read_as_far_as_it_goes():
    assert len(Seen(_text_of(1) + "abc")) == 1


def test_digests_that_earlier_versions_saved_are_contained():
    assert "47" in Seen("OuRN-Y_h")


@pytest.mark.parametrize("loaded", range(5))
def test_text_after_some_of_the_digests_is_that_of_the_others(loaded: int):
    texts = [_text_of(number) for number in range(4)]
    seen = Seen("".join(texts[:loaded]))
    for number in range(4):
        seen.add(str(number))
    assert [seen.text_after(8 * number) for number in range(5)] == ["".join(texts[number:]) for number in range(5)]


def _text_of(number: int) -> str:
    seen = Seen()
    seen.add(str(number))
    return seen.text_after(0)
