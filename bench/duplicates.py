"""How well learnings that say the same are told from those that do not, on pairs labelled by hand.

    python -m bench.duplicates

For each least cosine: what the vectors alone would merge, and what is merged when the words decide as well
(`capture.merging.likeness`). The pairs at even places set the threshold; the rules were written with all of them
in view. The last line is JSON.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from bench.support.duplicate_pairs import DIFFERENT, SAME
from capture.merging.likeness import MIN_COSINE, say_the_same
from memoryserver.embedding.bundled import BUNDLED_MODEL
from memoryserver.embedding.sentence_transformer import SentenceTransformerService

COSINES = (0.7, 0.75, 0.8, 0.85, 0.9)
Pair = tuple[str, str]


def main() -> None:
    """Print the table and the line of JSON."""
    same, different = cosines(SAME), cosines(DIFFERENT)
    print("cosine  pairs      vectors alone                and words")
    for least in COSINES:
        for half, name in ((0, "tuned on"), (1, "others")):
            near = [[pair for pair, cosine in pairs[half::2] if cosine >= least] for pairs in (same, different)]
            words = [[pair for pair in pairs if say_the_same(*pair)] for pairs in near]
            total = len(same[half::2])
            print(f"{least:.2f}    {name}   {_figures(near, total)}   {_figures(words, total)}")
    merged = [
        [pair for pair, cosine in pairs if cosine >= MIN_COSINE and say_the_same(*pair)] for pairs in (same, different)
    ]
    right, wrong = map(len, merged)
    rows = [
        {"what": "precision", "ratio": round(right / max(right + wrong, 1), 3)},
        {"what": "recall", "ratio": round(right / len(SAME), 3)},
    ]
    print(json.dumps({"bench": "duplicates", "rows": rows}))


def cosines(pairs: Sequence[Pair]) -> list[tuple[Pair, float]]:
    """Return each pair with the cosine of its vectors by the bundled model."""
    model = SentenceTransformerService(BUNDLED_MODEL)
    model.load()
    vectors = model.embed_batch([text for pair in pairs for text in pair])
    return [
        (pair, sum(a * b for a, b in zip(first, second, strict=True)))
        for pair, first, second in zip(pairs, vectors[::2], vectors[1::2], strict=True)
    ]


def _figures(merged: Sequence[Sequence[Pair]], total: int) -> str:
    right, wrong = map(len, merged)
    precision = right / (right + wrong) if right + wrong else 1.0
    return f"precision {precision:.2f} recall {right / total:.2f}"


if __name__ == "__main__":
    main()
