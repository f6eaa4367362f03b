"""Groups of words that tell a statement from a report."""

from __future__ import annotations

from capture.local.extraction.scoring.lexicon import groups_of, groups_of_first


def test_words_give_the_groups_that_have_them() -> None:
    assert groups_of(["it", "doesn't", "matter", "because"]) == {"negation or contrast", "reason"}
    assert groups_of(["requires"]) == {"obligation", "contract"}
    assert groups_of(["zebra"]) == set()


def test_first_word_gives_the_groups_of_openings() -> None:
    assert groups_of_first("let") == ("opening",)
    assert groups_of_first("fixed") == ("opening with what was done",)
    assert groups_of_first("zebra") == ()
