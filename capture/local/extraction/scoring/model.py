"""The linear model that scores sentences: a sum of weights, turned into a likelihood.

The weights are in `agent.json` and `person.json` beside this module. `bench/fit_scores.py` makes these files from
labelled transcripts; docs/extraction.md says how well the model does on repositories that it was not fitted on.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import resources
from typing import Any

from capture.local.transcripts.messages import Role


class Model:
    """Weights for the sentences of one role; `content` is that of its JSON file.

    `threshold` is the least score of a learning, `rule_threshold` that of one for whose wording there is a rule,
    `features` the weight of each feature.
    """

    def __init__(self, content: Mapping[str, Any]) -> None:
        self.threshold = float(content["threshold"])
        self.rule_threshold = float(content["rule_threshold"])
        self.least_threshold = min(self.threshold, self.rule_threshold)
        self._intercept = float(content["intercept"])
        self.features: dict[str, float] = content["features"]
        self._words: dict[str, float] = content["words"]
        screen = content.get("screen")
        self._screen: dict[str, float] = screen["words"] if screen else {}
        self._least = float(screen["least"]) if screen else -math.inf

    def may_be_worth_keeping(self, words: Iterable[str]) -> bool:
        """Return whether a sentence of `words` is worth scoring; decided by words alone, which costs little."""
        return self.screened([words])[0]

    def screened(self, sentences: Iterable[Iterable[str]]) -> list[bool]:
        """Return for each of `sentences`, given by its words, whether it `may_be_worth_keeping`.

        The sums are exact: that of floats depends on their order, which of a set is another in each process.
        """
        weight, least = self._screen.get, self._least
        return [math.fsum(filter(None, map(weight, set(words)))) >= least for words in sentences]

    def likelihood(self, features: Iterable[str], words: Iterable[str]) -> float:
        """Return the likelihood from 0 to 1 that a sentence with these features and words is worth keeping."""
        total = self._intercept + _sum_of(self.features, features) + _sum_of(self._words, words)
        return 1 / (1 + math.exp(-total))

    def in_favour(self, features: Iterable[str]) -> list[str]:
        """Return those of `features` that raise the likelihood, the strongest first."""
        weights = {name: self.features.get(name, 0.0) for name in features}
        return sorted((name for name in weights if weights[name] > 0), key=lambda name: (-weights[name], name))


def _sum_of(weights: Mapping[str, float], names: Iterable[str]) -> float:
    """Return the sum of the weights of those of `names` that have one, the same in whatever order they come."""
    return math.fsum(filter(None, map(weights.get, names)))


@cache
def model_for(role: Role) -> Model:
    """Return the model for the sentences of people, or the one for those of agents."""
    name = "person.json" if role == Role.PERSON else "agent.json"
    return Model(json.loads(resources.files(__package__).joinpath(name).read_text(encoding="utf-8")))
