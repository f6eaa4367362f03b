"""The linear model: sums of weights, the screen by words, and the weights that are shipped."""

from __future__ import annotations

import math

import pytest

from capture.local.extraction.scoring.model import Model, model_for
from capture.local.transcripts.messages import Role

CONTENT = {
    "threshold": 0.5,
    "rule_threshold": 0.4,
    "intercept": -1.0,
    "features": {"code": 2.0, "plan": -3.0, "reason": 0.5},
    "words": {"only": 0.5, "now": -0.5},
    "screen": {"words": {"only": 1.0, "now": -1.0}, "least": 0.5},
}


def test_likelihood_is_the_logistic_function_of_the_sum_of_the_weights() -> None:
    model = Model(CONTENT)
    assert model.likelihood([], []) == 1 / (1 + math.exp(1))
    assert model.likelihood(["code", "unknown"], ["only", "unknown"]) == 1 / (1 + math.exp(-1.5))
    assert model.likelihood(["plan"], ["now"]) == 1 / (1 + math.exp(4.5))


def test_screen_passes_words_whose_weights_reach_the_least_and_all_where_there_is_none() -> None:
    model = Model(CONTENT)
    assert [model.may_be_worth_keeping(words) for words in (["only"], ["only", "now"], [])] == [True, False, False]
    assert model.screened([["only", "only"], ["now", "only"], []]) == [True, False, False]
    assert Model({**CONTENT, "screen": None}).screened([[], ["now"]]) == [True, True]


def test_sums_do_not_depend_on_the_order_of_the_words() -> None:
    weights = [0.904, 0.28, 0.229, 0.138, -0.205, -0.043, -0.097, 0.425, -0.454, 0.192]  # 1.369, or a little less
    for number in range(100):  # the order of a set is that of the hashes of its words, which differ by process
        words = {f"{number} {place}": weight for place, weight in enumerate(weights)}
        model = Model({**CONTENT, "words": words, "screen": {"words": words, "least": 1.369}})
        assert model.screened([words, reversed(words)]) == [True, True]
        assert model.likelihood([], words) == model.likelihood([], sorted(words)) == model.likelihood([], set(words))


def test_features_in_favour_come_strongest_first() -> None:
    assert Model(CONTENT).in_favour(["reason", "plan", "code", "unknown"]) == ["code", "reason"]


@pytest.mark.parametrize("role", [Role.AGENT, Role.PERSON])
def test_shipped_weights_are_finite_and_small(role: Role) -> None:
    model = model_for(role)
    assert 0.3 < model.rule_threshold < model.threshold < 0.7
    assert all(abs(weight) < 5 for weight in model.features.values())
    assert len(model.features) > 40
