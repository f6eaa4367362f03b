"""Which later learnings contradict an earlier one, and so come before it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from capture.belief.rules import undecided_contradictions
from memoryserver.statements import compiled


def later(keys: Sequence[str]) -> Mapping[str, set[str]]:
    """Return which of the learnings `keys` are contradicted, undecided, each with the keys of the later ones.

    The newest comes first.
    """
    found: defaultdict[str, set[str]] = defaultdict(set)
    for earlier, other in _CONTRADICTIONS.rows(ids=[int(key) for key in keys]):
        found[str(earlier)].add(str(other))
    return found


_CONTRADICTIONS = compiled.CompiledRows(
    lambda: (
        undecided_contradictions()
        .filter(earlier__in=[compiled.IDS])
        .order_by("-earlier_id", "pk")
        .values_list("earlier", "later")
    )
)
