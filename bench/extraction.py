"""Measures the precision and recall of the extracted learnings, beside the patterns of older tools.

    python bench/extraction.py [--wrong] [--sessions LABELS] [--excerpts FOLDER ...] [--unseen LABELS ...]

With --sessions or --unseen the figures that count: those of labelled real sessions
(bench/support/extraction_sessions.py). LABELS of --sessions are those that the weights were fitted on, with the
folders of --excerpts too; each repository is scored by weights that are fitted on the others. LABELS of --unseen are
sessions that nothing was tuned on. bench/support/learning_labels.py says what such folders hold.

The others are of messages that were written like real ones, by those who wrote the rules; they say whether a change
loses a type, and little about real sessions. tests/capture/local/extraction/labels.py describes the three sets. The
baseline is one regular expression for each of the twelve types of older tools, searched anywhere in a message; its
learning is the sentence around a match. Rows such as `all precision` are of the set that was used while the patterns
were written; `held-out` and `unseen` of those that were only measured. --wrong also shows the wrong and the missed
learnings of the former, never of the latter. The last line is JSON.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.support.extraction_sessions import report, report_unseen
from capture.local import LEARNING_TYPES
from capture.local.transcripts.messages import Message
from tests.capture.local.extraction.labels import SETS, Score, extracted, samples, score

OLD_PATTERNS = {
    "decision": r"decided to \w+|chose \w+ over \w+|went with \w+|using \w+ because|selected \w+",
    "solution": r"fixed .*? by |root cause was|resolved by|solved .*? with|debugged ",
    "outcome": r"\u2705.*?(?:worked|complete|passed)|failed because|blocked by|error:? \w",
    "handoff": r"handoff declaration:|to: \w+_agent|handing off to \w+",
    "checkpoint": r"save state|git commit|deployed to|git push|\u2705.*?committed",
    "refactoring": r"refactor(?:ed|ing) |cleaned up |extracted .*? into |simplified |restructured ",
    "error_recovery": r"(?:encountered|caught) .*?(?:error|exception)|handled .*? by |recovered from "
    r"|exception .*? and ",
    "optimization": r"optimi[sz](?:ed|ing) |improved performance|reduc(?:ed|ing) .*? from .*? to |speed(?:ed)? up |"
    r"increas(?:ed|ing) .*? by ",
    "learning": r"(?:learned|reali[sz]ed|understood|found) that |discovered .*? works",
    "breakthrough": r"breakthrough:? |key insight:? |discovered that |major finding:? |eureka:? ",
    "test": r"added .*? tests? |test(?:ed|ing) |coverage |wrote tests? for |verif(?:ied|ying) .*? works",
    "security": r"(?:fixed|patched) .*?vulnerability|sql injection|xss|csrf|security |saniti[sz](?:ed|ing) |"
    r"(?:identified|found) .*?vulnerability",
}
PREFIXES = {"labelled": "", "held out": "held-out ", "unseen": "unseen "}
_OLD = {kind: re.compile(pattern, re.IGNORECASE) for kind, pattern in OLD_PATTERNS.items()}


def main() -> None:
    """Print the sets by type, then the line of JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--wrong", action="store_true", help="show the wrong and the missed learnings")
    parser.add_argument("--sessions", type=Path, metavar="LABELS", help="labelled sessions that the weights are for")
    parser.add_argument("--excerpts", type=Path, nargs="+", default=[], metavar="FOLDER", help="fitted on as well")
    parser.add_argument("--unseen", type=Path, nargs="+", default=[], metavar="LABELS", help="other labelled sessions")
    options = parser.parse_args()
    rows: list[dict[str, object]] = []
    for which in SETS:
        sample_list = list(samples(which))
        ours, old = score(sample_list, extracted), score(sample_list, old_patterns)
        show(which, len(sample_list), ours, old)
        prefix = PREFIXES[which]
        rows += measured(prefix or "all ", ours)
        rows += measured(f"{prefix}old patterns ", old)
        if not prefix:
            rows += [row for kind in LEARNING_TYPES for row in measured(f"{kind} ", ours, kind)]
            if options.wrong:
                show_mistakes(ours)
    if options.sessions:
        rows += report(options.sessions, options.excerpts)
    for folder in options.unseen:
        rows += report_unseen(folder)
    print(json.dumps({"bench": "extraction", "rows": rows}))


def old_patterns(messages: Sequence[Message]) -> list[tuple[str, str]]:
    """Return what the baseline extracts: each type, and the sentence or line around each match."""
    learnings = []
    for message in messages:
        for kind, pattern in _OLD.items():
            for match in pattern.finditer(message.text):
                start = max(message.text.rfind(mark, 0, match.start()) for mark in ("\n", ". ")) + 1
                end = re.search(r"\n|[.!?](?=\s|$)|$", message.text[match.end() :])
                learnings.append((kind, message.text[start : match.end() + (end.start() if end else 0)].strip()))
    return list(dict.fromkeys(learnings))


def show(which: str, size: int, ours: Score, old: Score) -> None:
    """Print the table of one set."""
    print(f"\n{which}: {size} messages and stories, {(ours.right + ours.missed).total()} learnings in them")
    print(f"    {'':16}precision  recall   right  wrong  missed   old patterns' precision  recall")
    for kind in ("", *LEARNING_TYPES):
        counts = [count[kind] if kind else count.total() for count in (ours.right, ours.wrong, ours.missed)]
        beside = f"{shown(old, kind, width=20)}" if not kind or kind in OLD_PATTERNS else ""
        print(f"    {kind or 'all':16}{shown(ours, kind)}  {{:6}}  {{:5}}  {{:6}}{beside}".format(*counts).rstrip())


def shown(result: Score, kind: str, *, width: int = 9) -> str:
    """Return precision and recall as text, "-" where they are undefined."""
    right, wrong, missed = (
        count[kind] if kind else count.total() for count in (result.right, result.wrong, result.missed)
    )
    precision = f"{result.precision(kind):.2f}" if right + wrong else "-"
    recall = f"{result.recall(kind):.2f}" if right + missed else "-"
    return f"{precision:>{width}}  {recall:>6}"


def show_mistakes(result: Score) -> None:
    """Print the wrong and the missed learnings."""
    for mistake in result.mistakes:
        print("    {:8}{:16}{}".format(*mistake))


def measured(name: str, result: Score, kind: str = "") -> list[dict[str, object]]:
    """Return the rows of JSON for a type, or for all."""
    return [
        {"what": f"{name}precision", "ratio": round(result.precision(kind), 4)},
        {"what": f"{name}recall", "ratio": round(result.recall(kind), 4)},
    ]


if __name__ == "__main__":
    main()
