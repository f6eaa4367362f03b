"""Regular expressions for how people word things, whatever the case: they are matched against lower-case text.

That is twice as quick as ignoring the case, and every sentence of every transcript meets all of them.
"""

from __future__ import annotations

import re


def wording(source: str) -> re.Pattern[str]:
    """The regular expression `source`, its letters made small, for text in lower case."""
    return re.compile(re.sub(r"\\.|[^\\]+", _small, source, flags=re.DOTALL))


def one_of(words: str) -> str:
    """A regular expression for one of the words in `words`, each of them a regular expression itself."""
    return f"(?:{'|'.join(words.split())})"


def _small(part: re.Match[str]) -> str:
    return part[0] if part[0].startswith("\\") else part[0].lower()
