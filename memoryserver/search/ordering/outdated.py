"""Order among results of which one contradicts an earlier one: the later one comes first.

What was true yesterday often answers a question in more words than what replaced it today, and so ranks better.
"""

from __future__ import annotations

from collections.abc import Sequence

from memoryserver.search.folding import Folded
from memoryserver.search.sources import all_sources


def behind_later(results: Sequence[Folded]) -> list[Folded]:
    """Return `results` with each one that others of them contradict right behind the first of these, if it was before.

    Of two sources none knows the other's: only results of one source are compared.
    """
    ordered = list(results)
    for source in all_sources():
        own = {result.best.key: result for result in ordered if result.best.collection in source.collections}
        for key, later in (source.later(list(own)) if own else {}).items():
            _move(ordered, own[key], [own[other] for other in later if other in own])
    return ordered


def _move(ordered: list[Folded], outdated: Folded, later: Sequence[Folded]) -> None:
    places = {id(result): place for place, result in enumerate(ordered)}
    first = min((places[id(result)] for result in later), default=0)
    place = places[id(outdated)]
    if place < first:
        ordered.insert(first, ordered.pop(place))
