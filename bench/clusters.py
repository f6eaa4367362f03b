"""How well clusters of failures follow the subjects of what failed, with the real model.

    python bench/clusters.py

bench/data/failures.txt has failures of eight subjects and some odd ones. Small scopes are drawn from them, with one to
eight subjects each, clustered as the nightly job does it, and all pairs of failures looked at: how many of those in one
cluster are of one subject (precision), how many of one subject are in one cluster (recall). The last line is JSON.
"""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from ghap.axes import FAILURE_AXES, axis_texts
from ghap.grouping import groups
from ghap.local import GHAPEntry
from memoryserver.embedding.bundled import BUNDLED_MODEL
from memoryserver.embedding.sentence_transformer import SentenceTransformerService

FAILURES = Path(__file__).parent / "data" / "failures.txt"
SCOPES = 40  # of each number of subjects
SUBJECTS = (1, 2, 3, 5, 8)


@dataclass
class Pairs:
    """Pairs of failures: in one cluster, of one subject, and both."""

    together: int = 0
    alike: int = 0
    right: int = 0

    @property
    def precision(self) -> float:
        """Of those in one cluster."""
        return self.right / self.together if self.together else 1.0

    @property
    def recall(self) -> float:
        """Of those of one subject."""
        return self.right / self.alike


def main() -> None:
    """Print a line for each axis and number of subjects, and the line of JSON."""
    failures = [line.split(" | ") for line in FAILURES.read_text(encoding="utf-8").split("\n")[1:] if line]
    subjects = [failure[0] or f"odd {number}" for number, failure in enumerate(failures)]
    entries = [entry_of(failure) for failure in failures]
    model = SentenceTransformerService(BUNDLED_MODEL)
    rows = []
    for axis in FAILURE_AXES:
        vectors = model.embed_batch([axis_texts(entry)[axis] for entry in entries])
        chance, overall = random.Random(1), Pairs()
        for count in SUBJECTS:
            pairs = Pairs()
            for _ in range(SCOPES):
                scope = drawn(subjects, count, chance)
                for tally in (pairs, overall):
                    add(tally, scope, subjects, vectors)
            print(f"{axis:10} {count} subjects: precision {pairs.precision:.2f}, recall {pairs.recall:.2f}")
        rows += [
            {"what": f"{axis} precision", "ratio": round(overall.precision, 4)},
            {"what": f"{axis} recall", "ratio": round(overall.recall, 4)},
        ]
    print(json.dumps({"bench": "clusters", "rows": rows}))


def entry_of(failure: Sequence[str]) -> GHAPEntry:
    """The entry that tells of `failure`."""
    _, expected, seen, surprise, category, cause = failure
    moment = "2026-11-20T14:50:00Z"
    return GHAPEntry.from_dict(
        {
            "id": "ghap_1",
            "session_id": "session_1",
            "created_at": moment,
            "domain": "debugging",
            "strategy": "root-cause-analysis",
            "goal": expected,
            "hypothesis": expected,
            "action": "Try it",
            "prediction": expected,
            "outcome": {"status": "falsified", "result": seen, "captured_at": moment},
            "surprise": surprise,
            "root_cause": {"category": category, "description": cause},
        }
    )


def drawn(subjects: Sequence[str], count: int, chance: random.Random) -> list[int]:
    """Three to five failures of each of `count` subjects, and up to eight odd ones."""
    names = sorted({subject for subject in subjects if not subject.startswith("odd")})
    scope = []
    for name in chance.sample(names, count):
        own = [place for place, subject in enumerate(subjects) if subject == name]
        scope += chance.sample(own, min(len(own), chance.choice([3, 4, 5])))
    odd = [place for place, subject in enumerate(subjects) if subject.startswith("odd")]
    return sorted(scope + chance.sample(odd, chance.randint(0, len(odd))))


def add(tally: Pairs, scope: Sequence[int], subjects: Sequence[str], vectors: Sequence[Sequence[float]]) -> None:
    """Cluster `scope` and count its pairs."""
    found = groups([vectors[place] for place in scope], [1.0] * len(scope))
    cluster = {scope[member]: number for number, group in enumerate(found) for member in group.members}
    for one, other in combinations(scope, 2):
        together = one in cluster and cluster[one] == cluster.get(other)
        alike = subjects[one] == subjects[other]
        tally.together += together
        tally.alike += alike
        tally.right += together and alike


if __name__ == "__main__":
    main()
