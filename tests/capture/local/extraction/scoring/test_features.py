"""The features of a sentence: words, form, place."""

from __future__ import annotations

from capture.local.extraction.rules.rulebook import rule
from capture.local.extraction.scoring.features import (
    REASONS,
    Place,
    features_of,
    rule_features,
    words_of,
    words_of_each,
)
from capture.local.extraction.scoring.model import model_for
from capture.local.extraction.sentences import Sentence
from capture.local.transcripts.messages import Role

MIDDLE = Place(length=900, number=1, total=3)


def features(text: str, place: Place = MIDDLE, before: str = "") -> set[str]:
    return set(features_of(Sentence(text, before), words_of(text), place))


def test_words_are_lower_case_with_one_word_for_code_and_zeros_for_digits() -> None:
    assert words_of("The `parse()` call fails 3 of 20 times!") == [
        "the", "code0", "call", "fails", "0", "of", "0", "times", "!",
    ]  # fmt: skip
    assert words_of("") == []


def test_words_of_several_sentences_are_those_of_each_whatever_their_letters() -> None:
    plain = ["The `a b`` call fails 300 times!", "Is it `c`?", "", "No: 1,000 rows."]
    letters = [*plain, "Na\u00efve \u2014 `d` fails 2\u00d7."]
    assert words_of_each(plain) == [
        ["the", "code0", "call", "fails", "0", "times", "!"],
        ["is", "it", "code0", "?"],
        [],
        ["no", ":", "0", "0", "rows"],
    ]
    assert words_of_each(letters) == list(map(words_of, letters))
    assert words_of_each([]) == []


def test_sentence_has_the_features_of_its_words_and_form() -> None:
    assert features("`parse()` doesn't read `a.toml`.") == {
        "negation or contrast",
        "code",
        "several code spans",
        "more than 2 uncommon words",
        "message of more than 600 characters",
    }
    assert features("All 12 tests pass!", Place(20, 0, 1)) == {
        "opening with what was done",
        "completion",
        "names nothing",
        "counts",
        "exclamation",
        "first of the message",
        "last of the message",
        "only one of the message",
    }


def test_place_before_and_rule_are_features() -> None:
    assert "continues a paragraph" in features("It fails.", before="`parse()` runs.")
    assert "one of more than ten" in features("It fails.", Place(4_000, 3, 11))
    assert "message of more than 3000 characters" in features("It fails.", Place(4_000, 3, 11))
    assert rule_features(rule("gotcha", 0.9, "warns", "fails")) == ["rule", "rule for gotcha", "sure rule"]
    assert rule_features(rule("gotcha", 0.8, "warns", "fails")) == ["rule", "rule for gotcha"]


def test_every_reason_is_a_feature_with_a_weight_for_one_role_at_least() -> None:
    known = {name for role in (Role.AGENT, Role.PERSON) for name in model_for(role).features}
    assert set(REASONS) - known == set()
