"""Clustering of vectors and extraction of a cluster's distinctive words; independent of the database."""

from __future__ import annotations

import importlib.util
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
"""Minimum cluster size. With five, most projects have no cluster for months: few failures recur that often."""

_NEIGHBOURS = 2
_MAX_RELATIVE_DISTANCE = 0.8
"""Maximum mean distance of a member to the others, relative to the mean distance of all entries.

Measured by bench/clusters.py: 0.85 finds more clusters that are less pure, 0.75 the reverse.
"""

_MAX_ROUNDS = 10

_TERMS = 8
_MIN_MEMBERS_WITH_TERM = 2  # a word of a single member does not describe the cluster


@dataclass(frozen=True)
class Group:
    """Positions of the vectors of a cluster, the most central first, and their mean cosine to the others."""

    members: tuple[int, ...]
    likeness: tuple[float, ...]
    weight: float


def is_installed() -> bool:
    """Return whether scikit-learn, which finds the clusters, is installed; in a light installation it is not."""
    return importlib.util.find_spec("sklearn") is not None


def groups(vectors: Any, weights: Sequence[float]) -> list[Group]:
    """Return the clusters among `vectors` (rows of equal length), the heaviest first; other vectors are left out.

    Uses HDBSCAN on normalised vectors. HDBSCAN has no weights: they only affect which member is most central and which
    cluster comes first. Deterministic; costs grow with n².
    """
    import numpy as np  # the web process does not need it, and importing scikit-learn takes a second

    matrix = np.asarray(vectors, dtype=np.float64)
    if len(matrix) < MIN_SIZE:
        return []
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    matrix = matrix / np.where(lengths == 0, 1, lengths)
    scale = np.asarray(weights, dtype=np.float64)
    clusters = [_group(matrix, scale, members) for members in _clusters(matrix)]
    return sorted(clusters, key=lambda group: (-group.weight, group.members))


def _clusters(matrix: Matrix) -> list[Any]:
    """Return the positions of each cluster; each round searches what the previous rounds left over."""
    import numpy as np

    spread = _spread(matrix)
    if spread < 1e-6:  # all entries say the same
        return [np.arange(len(matrix))]
    clusters: list[Any] = []
    remaining = np.arange(len(matrix))
    for _ in range(_MAX_ROUNDS):
        dense = [remaining[members] for members in _dense_clusters(matrix[remaining], _MAX_RELATIVE_DISTANCE * spread)]
        if not dense:
            break
        clusters += dense
        remaining = np.setdiff1d(remaining, np.concatenate(dense))
    return clusters


def _dense_clusters(matrix: Matrix, max_distance: float) -> list[Any]:
    """Return HDBSCAN's clusters without members whose mean distance to the others is above `max_distance`.

    HDBSCAN may also return loose leftovers as a cluster, which this removes. By default it never returns all points as
    one cluster, so if it finds none it runs again with a single cluster allowed.
    """
    import numpy as np

    if len(matrix) < MIN_SIZE:
        return []
    for single in (False, True):
        labels = _hdbscan(matrix, allow_single_cluster=single)
        clusters = [np.flatnonzero(labels == label) for label in sorted(set(labels.tolist()) - {-1})]
        dense = [_trimmed(matrix, members, max_distance) for members in clusters]
        if any(map(len, dense)):
            return [members for members in dense if len(members)]
    return []


def _trimmed(matrix: Matrix, members: Any, max_distance: float) -> Any:
    """Remove the outermost `members`, a twentieth at a time, until none is too far; empty if too few remain."""
    import numpy as np

    while len(members) >= MIN_SIZE:
        own = matrix[members]
        similarity = (own @ own.sum(axis=0) - 1) / (len(members) - 1)
        outer = np.flatnonzero(1 - similarity > max_distance)
        if len(outer) == 0:
            return members
        outermost = outer[np.argsort(similarity[outer], kind="stable")][: 1 + len(members) // 20]
        members = np.delete(members, outermost)
    return members[:0]


def _hdbscan(matrix: Matrix, *, allow_single_cluster: bool) -> Any:
    from sklearn.cluster import HDBSCAN

    model = HDBSCAN(
        min_cluster_size=MIN_SIZE,
        min_samples=_NEIGHBOURS,
        allow_single_cluster=allow_single_cluster,
        algorithm="brute",  # trees are ten times slower at hundreds of dimensions
        copy=True,
    )
    return model.fit_predict(matrix)


def _spread(matrix: Matrix) -> float:
    """Return the mean cosine distance between two rows."""
    count = len(matrix)
    total = float((matrix.sum(axis=0) ** 2).sum())  # the sum of all dot products
    return 1.0 - (total - count) / (count * (count - 1))


def _group(matrix: Matrix, weights: Matrix, members: Any) -> Group:
    """Return the group, ordered by weighted mean cosine to the other members, then by position."""
    import numpy as np

    similarity = matrix[members] @ matrix[members].T
    np.fill_diagonal(similarity, 0.0)
    own = weights[members]
    central = (similarity @ own) / (own.sum() - own)
    order = sorted(range(len(members)), key=lambda place: (-round(float(central[place]), 9), place))
    return Group(
        members=tuple(int(members[place]) for place in order),
        likeness=tuple(round(float(similarity[place].sum()) / (len(members) - 1), 4) for place in order),
        weight=round(float(own.sum()), 4),
    )


def distinctive_terms(
    classes: Sequence[Sequence[tuple[str, float]]], others: Sequence[tuple[str, float]]
) -> list[list[str]]:
    """Return for each of `classes` (texts with weights) the words that distinguish it from the other ones and `others`.

    By c-TF-IDF: the word's share of its class * ln(1 + mean number of words of a class / frequency of the word
    overall). Words with the same stem count as one and are shown in the most frequent spelling. A class may have none.
    """
    counted = [_count_stems(texts) for texts in [*classes, others]]
    overall: Counter[str] = Counter()
    for counts in counted:
        overall.update(counts.frequency)
    mean_size = sum(overall.values()) / max(1, sum(bool(counts.frequency) for counts in counted))
    return [counts.best(overall, mean_size) for counts in counted[: len(classes)]]


@dataclass(frozen=True)
class _StemCounts:
    """The stems of one class with their weighted frequency, number of texts, and spellings."""

    frequency: Mapping[str, float]
    texts: Mapping[str, int]
    spellings: Mapping[str, Counter[str]]

    def best(self, overall: Mapping[str, float], mean_size: float) -> list[str]:
        size = sum(self.frequency.values())
        scores = {
            stem: frequency / size * math.log(1 + mean_size / overall[stem])
            for stem, frequency in self.frequency.items()
            if self.texts[stem] >= _MIN_MEMBERS_WITH_TERM
        }
        best = sorted(scores, key=lambda stem: (-round(scores[stem], 12), stem))[:_TERMS]
        return [min(self.spellings[stem], key=lambda word: (-self.spellings[stem][word], word)) for stem in best]


def _count_stems(texts: Sequence[tuple[str, float]]) -> _StemCounts:
    frequency: dict[str, float] = defaultdict(float)
    text_counts: Counter[str] = Counter()
    spellings: dict[str, Counter[str]] = defaultdict(Counter)
    for text, weight in texts:
        words = [(stem(word), word) for word in _content_words(text)]
        text_counts.update({root for root, _ in words})
        for root, word in words:
            frequency[root] += weight
            spellings[root][word] += 1
    return _StemCounts(frequency, text_counts, spellings)


def _content_words(text: str) -> list[str]:
    """Return the search terms of `text` without function words and without compounds that search adds."""
    lowered = text.lower()
    return [
        word
        for word in terms(text).split()
        if len(word) > 1 and not word.isdigit() and word not in FUNCTION_WORDS and word in lowered
    ]
