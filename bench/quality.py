"""How well poor hypotheses are found: precision and recall on labelled entries, with the real model.

    python bench/quality.py

bench/data/ghap_quality.jsonl has one entry on each line, in the manner of agents, with its label. One half was looked
at while the rules of ghap/quality.py were made; the other was only measured. The last line is JSON.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ghap.likeness import likenesses
from ghap.quality import Assessment, Statement, assess, in_doubt
from memoryserver.embedding.bundled import BUNDLED_MODEL
from memoryserver.embedding.sentence_transformer import SentenceTransformerService

ENTRIES = Path(__file__).parent / "data" / "ghap_quality.jsonl"
HALVES = ("tuning", "held out")
KINDS = ("vague", "unfalsifiable", "tautological")


@dataclass(frozen=True)
class Labelled:
    """An entry with its label, and what the rules say."""

    half: str
    label: str
    statement: Statement
    assessment: Assessment

    @property
    def kinds(self) -> set[str]:
        """What the rules call it."""
        return {"poor"} | {reason.kind for reason in self.assessment.reasons} if self.assessment.poor else set()

    @property
    def truths(self) -> set[str]:
        """What it is."""
        return set() if self.label == "good" else {"poor", self.label}


def main() -> None:
    """Print a table for each half, what was judged wrongly in the tuning half, and the line of JSON."""
    entries = judged()
    rows = []
    for half in HALVES:
        own = [entry for entry in entries if entry.half == half]
        print(f"\n{half}: {len(own)} entries, {sum(entry.label == 'good' for entry in own)} of them good")
        print(f"    {'':14}precision  recall")
        for kind in ("poor", *KINDS):
            precision, recall = measure(own, kind)
            print(f"    {kind:14}{precision:9.3f}  {recall:6.3f}")
            prefix = "" if half == "held out" else f"{half}: "
            rows += [
                {"what": f"{prefix}{kind} precision", "ratio": round(precision, 4)},
                {"what": f"{prefix}{kind} recall", "ratio": round(recall, 4)},
            ]
    doubtful = [entry for entry in entries if entry.label == "good" and in_doubt(entry.statement)]
    share = len(doubtful) / sum(entry.label == "good" for entry in entries)
    print(f"\nOf the good entries {share:.0%} are embedded; of the others words alone tell.")
    rows.append({"what": "good entries embedded", "ratio": round(share, 4)})
    show_wrong(entries)
    print(json.dumps({"bench": "quality", "rows": rows}))


def judged() -> list[Labelled]:
    """All labelled entries, assessed as the server does it."""
    lines = [json.loads(line) for line in ENTRIES.read_text(encoding="utf-8").split("\n") if line]
    statements = [Statement(line["goal"], line["hypothesis"], line["prediction"]) for line in lines]
    pairs = [(statement.hypothesis, statement.prediction) for statement in statements]
    alike = likenesses(SentenceTransformerService(BUNDLED_MODEL), pairs)
    return [
        Labelled(line["half"], line["label"], statement, assess(statement, likeness if in_doubt(statement) else 0.0))
        for line, statement, likeness in zip(lines, statements, alike, strict=True)
    ]


def measure(entries: Sequence[Labelled], kind: str) -> tuple[float, float]:
    """Precision and recall of `kind`."""
    found = sum(kind in entry.kinds for entry in entries)
    there = sum(kind in entry.truths for entry in entries)
    right = sum(kind in entry.kinds & entry.truths for entry in entries)
    return right / found if found else 1.0, right / there


def show_wrong(entries: Sequence[Labelled]) -> None:
    """What was judged wrongly in the tuning half; the other half's is not shown, so that nobody tunes to it."""
    for entry in entries:
        if entry.half == "tuning" and ("poor" in entry.kinds) != ("poor" in entry.truths):
            told = entry.statement
            print(f"    {entry.label}, scored {entry.assessment.score}: {told.hypothesis} -> {told.prediction}")


if __name__ == "__main__":
    main()
