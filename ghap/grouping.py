"""Which of many vectors belong together, and by which words a group is told: arithmetic without a database."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ghap.vocabulary import FUNCTION_WORDS, stem
from memoryserver.vectors.terms import terms

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix = NDArray[np.float64]

MIN_SIZE = 3
"""The smallest cluster. With five, a project has none for its first months: the same thing fails seldom that often."""

_NEIGHBOURS = 2
_NEARER = 0.8
"""How far a member may lie from the others on average, in parts of how far apart all entries there lie.

Measured by bench/clusters.py: 0.85 finds more and mixes more, 0.75 the reverse.
"""

_ROUNDS = 10

_TERMS = 8
_IN_MEMBERS = 2  # a word of one member says nothing of the cluster


@dataclass(frozen=True)
class Group:
    """Positions of vectors that belong together, the most central first, and how near each is to the others."""

    members: tuple[int, ...]
    likeness: tuple[float, ...]
    weight: float


def groups(vectors: Any, weights: Sequence[float]) -> list[Group]:
    """The clusters among `vectors` (rows, all of one length), the heaviest first; what fits nowhere is left out.

    HDBSCAN over the vectors at length 1, so that near means alike. HDBSCAN knows no weights: they count in what
    is most central and in which cluster comes first. The same input gives the same output. Costs grow with n².
    """
    import numpy as np  # the web process needs neither, and scikit-learn alone takes a second

    matrix = np.asarray(vectors, dtype=np.float64)
    if len(matrix) < MIN_SIZE:
        return []
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    matrix = matrix / np.where(lengths == 0, 1, lengths)
    scale = np.asarray(weights, dtype=np.float64)
    found = [_group(matrix, scale, members) for members in _clusters(matrix)]
    return sorted(found, key=lambda group: (-group.weight, group.members))


def _clusters(matrix: Matrix) -> list[Any]:
    """The positions of each cluster, round by round among what the rounds before have left."""
    import numpy as np

    spread = _spread(matrix)
    if spread < 1e-6:  # the same thing told again and again
        return [np.arange(len(matrix))]
    found: list[Any] = []
    left = np.arange(len(matrix))
    for _ in range(_ROUNDS):
        dense = [left[members] for members in _dense(matrix[left], _NEARER * spread)]
        if not dense:
            break
        found += dense
        left = np.setdiff1d(left, np.concatenate(dense))
    return found


def _dense(matrix: Matrix, most: float) -> list[Any]:
    """HDBSCAN's clusters, each without the outer members that lie further than `most` from the others on average.

    HDBSCAN takes what is left over for a cluster, too, however loose. And it never takes all for one, so where it
    finds none it is asked again for a single one: else one thing that keeps failing among odd ones is not found.
    """
    import numpy as np

    if len(matrix) < MIN_SIZE:
        return []
    for single in (False, True):
        labels = _hdbscan(matrix, allow_single_cluster=single)
        clusters = [np.flatnonzero(labels == label) for label in sorted(set(labels.tolist()) - {-1})]
        dense = [_trimmed(matrix, members, most) for members in clusters]
        if any(map(len, dense)):
            return [members for members in dense if len(members)]
    return []


def _trimmed(matrix: Matrix, members: Any, most: float) -> Any:
    """`members` less the outermost, a twentieth at a time, until none lies too far out; none if too few are left."""
    import numpy as np

    while len(members) >= MIN_SIZE:
        own = matrix[members]
        near = (own @ own.sum(axis=0) - 1) / (len(members) - 1)
        outer = np.flatnonzero(1 - near > most)
        if len(outer) == 0:
            return members
        outermost = outer[np.argsort(near[outer], kind="stable")][: 1 + len(members) // 20]
        members = np.delete(members, outermost)
    return members[:0]


def _hdbscan(matrix: Matrix, *, allow_single_cluster: bool) -> Any:
    from sklearn.cluster import HDBSCAN

    model = HDBSCAN(
        min_cluster_size=MIN_SIZE,
        min_samples=_NEIGHBOURS,
        allow_single_cluster=allow_single_cluster,
        algorithm="brute",  # at hundreds of dimensions the trees are ten times slower
        copy=True,
    )
    return model.fit_predict(matrix)


def _spread(matrix: Matrix) -> float:
    """Mean cosine distance of two of the rows."""
    count = len(matrix)
    total = float((matrix.sum(axis=0) ** 2).sum())  # the sum of all products without making them
    return 1.0 - (total - count) / (count * (count - 1))


def _group(matrix: Matrix, weights: Matrix, members: Any) -> Group:
    """Centrality counts the others by their weights; equal ones are ordered by position."""
    import numpy as np

    near = matrix[members] @ matrix[members].T
    np.fill_diagonal(near, 0.0)
    own = weights[members]
    central = (near @ own) / (own.sum() - own)
    order = sorted(range(len(members)), key=lambda place: (-round(float(central[place]), 9), place))
    return Group(
        members=tuple(int(members[place]) for place in order),
        likeness=tuple(round(float(near[place].sum()) / (len(members) - 1), 4) for place in order),
        weight=round(float(own.sum()), 4),
    )


def telling_terms(classes: Sequence[Sequence[tuple[str, float]]], rest: Sequence[tuple[str, float]]) -> list[list[str]]:
    """For each of `classes` (texts with weights) the words said in it more than in the others and in `rest`.

    By c-TF-IDF: a word's share of its class, times ln(1 + words of a class on average / how often it is said at all).
    Words of one stem count as one and are shown as they are written most. A class may have none.
    """
    counted = [_counted(texts) for texts in [*classes, rest]]
    overall: Counter[str] = Counter()
    for counts in counted:
        overall.update(counts.frequency)
    usual = sum(overall.values()) / max(1, sum(bool(counts.frequency) for counts in counted))
    return [counts.best(overall, usual) for counts in counted[: len(classes)]]


@dataclass(frozen=True)
class _Counted:
    """The stems of one class: how often, in how many texts, and in which spellings."""

    frequency: Mapping[str, float]
    texts: Mapping[str, int]
    spellings: Mapping[str, Counter[str]]

    def best(self, overall: Mapping[str, float], usual: float) -> list[str]:
        size = sum(self.frequency.values())
        worth = {
            stem: often / size * math.log(1 + usual / overall[stem])
            for stem, often in self.frequency.items()
            if self.texts[stem] >= _IN_MEMBERS
        }
        best = sorted(worth, key=lambda stem: (-round(worth[stem], 12), stem))[:_TERMS]
        return [min(self.spellings[stem], key=lambda word: (-self.spellings[stem][word], word)) for stem in best]


def _counted(texts: Sequence[tuple[str, float]]) -> _Counted:
    frequency: dict[str, float] = defaultdict(float)
    within: Counter[str] = Counter()
    spellings: dict[str, Counter[str]] = defaultdict(Counter)
    for text, weight in texts:
        said = [(stem(word), word) for word in _said(text)]
        within.update({root for root, _ in said})
        for root, word in said:
            frequency[root] += weight
            spellings[root][word] += 1
    return _Counted(frequency, within, spellings)


def _said(text: str) -> list[str]:
    """The words of `text` as search knows them, less what carries no meaning and what was put together for search."""
    lowered = text.lower()
    return [
        word
        for word in terms(text).split()
        if len(word) > 1 and not word.isdigit() and word not in FUNCTION_WORDS and word in lowered
    ]
