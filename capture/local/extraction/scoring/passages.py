"""Passages: neighbouring sentences of one paragraph that make one learning, such as a cause and its cure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

LONGEST_PASSAGE = 450  # characters, unless a single sentence is longer
SHARE = 0.25  # of the best sentence's likelihood; a less likely sentence at an end is left out


class Passage(NamedTuple):
    """The sentences from `first` to `last`, both included; `best` is the likeliest of them.

    `likelihood` is that of at least one being worth keeping.
    """

    first: int
    last: int
    best: int
    likelihood: float


def passages(
    lengths: Sequence[int], likelihoods: Sequence[float], adds: Sequence[bool], *, share: float = SHARE
) -> list[Passage]:
    """Return the passages of a paragraph whose sentences have these lengths in characters and these likelihoods.

    Each is the likeliest sentence that is left with its neighbours, as many as fit. Every sentence counts for one.
    Those at its ends that are less likely than `share` of the likeliest one are left out. Only those for which `adds`
    is true add to the likelihood of a passage; the others can be part of it.
    """
    left = set(range(len(lengths)))
    found = []
    for best in sorted(left, key=lambda number: (-likelihoods[number], number)):
        if best not in left:
            continue
        first = last = best
        length = lengths[best]
        for step in (-1, 1):
            number = best + step
            while number in left and length + lengths[number] <= LONGEST_PASSAGE:
                length += lengths[number]
                first, last = min(first, number), max(last, number)
                number += step
        numbers = range(first, last + 1)
        left.difference_update(numbers)
        likelihood = 1 - math.prod(1 - likelihoods[number] for number in numbers if adds[number])
        telling = [number for number in numbers if likelihoods[number] >= share * likelihoods[best]]
        found.append(Passage(telling[0], telling[-1], best, likelihood))
    return sorted(found)
