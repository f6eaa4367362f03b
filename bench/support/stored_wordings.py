"""Wordings that people and agents may want to store, nearly all written before anything was measured on them.

GOOD ones are worth keeping as they are; BAD ones are reports, plans, guesses, questions, chat, or name nothing.
The check was improved with those at even places in view; those at odd places were only counted. The LATER ones
were written after that; three of the good ones were refused then and five of the bad ones were not, which has been
repaired. `bench/data/stored_wordings.txt` has them, one a line below the name of its list.
"""

from __future__ import annotations

from pathlib import Path

_FILE = Path(__file__).resolve().parent.parent / "data" / "stored_wordings.txt"


def _lists() -> dict[str, list[str]]:
    lists: dict[str, list[str]] = {}
    for section in _FILE.read_text(encoding="utf-8").strip().split("\n\n"):
        name, *wordings = section.splitlines()
        lists[name.strip("[]")] = wordings
    return lists


_LISTS = _lists()
GOOD, BAD = _LISTS["GOOD"], _LISTS["BAD"]
LATER_GOOD, LATER_BAD = _LISTS["LATER_GOOD"], _LISTS["LATER_BAD"]
