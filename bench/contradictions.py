"""How well learnings that contradict each other are told from those that do not, on pairs labelled by hand.

    python -m bench.contradictions [--wrong]

The pairs at even places were looked at while the rule was written (`capture.merging.contradiction`); those at odd
places were only measured. --wrong shows the mistakes of the former, never of the latter. The last line is JSON.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence

from bench.duplicates import Pair, cosines
from bench.support.contradiction_pairs import COMPATIBLE, CONTRADICTING
from bench.support.extraction_sessions import interval
from capture.merging.contradiction import MIN_COSINE, contradiction


def main() -> None:
    """Print the table and the line of JSON."""
    contradicting, compatible = _recognised(CONTRADICTING), _recognised(COMPATIBLE)
    print("pairs       precision            recall")
    for name, places in {"tuned on": slice(0, None, 2), "held out": slice(1, None, 2), "all": slice(None)}.items():
        right, wrong = sum(contradicting[places]), sum(compatible[places])
        total = len(contradicting[places])
        print(f"{name:10}  {interval(right, right + wrong):19}  {interval(right, total)}")
    if "--wrong" in sys.argv[1:]:
        _show_mistakes(contradicting, compatible)
    right, wrong = sum(contradicting), sum(compatible)
    rows = [
        {"what": "precision", "ratio": round(right / max(right + wrong, 1), 3)},
        {"what": "recall", "ratio": round(right / len(CONTRADICTING), 3)},
    ]
    print(json.dumps({"bench": "contradictions", "rows": rows}))


def _recognised(pairs: Sequence[Pair]) -> list[bool]:
    return [cosine >= MIN_COSINE and contradiction(*pair) is not None for pair, cosine in cosines(pairs)]


def _show_mistakes(contradicting: Sequence[bool], compatible: Sequence[bool]) -> None:
    for what, pairs, results, right in (
        ("missed", CONTRADICTING, contradicting, True),
        ("wrong", COMPATIBLE, compatible, False),
    ):
        for pair, result in list(zip(pairs, results, strict=True))[::2]:
            if result is not right:
                print(f"{what:8}{pair[0]}\n        {pair[1]}")


if __name__ == "__main__":
    main()
