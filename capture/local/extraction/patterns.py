"""Regular expressions for how people word things, whatever the case: they are matched against lower-case text.

That is twice as fast as ignoring the case, and every sentence of every transcript meets all of them.
"""

from __future__ import annotations

import re


def wording(source: str) -> re.Pattern[str]:
    """Return the regular expression `source` for text in lower case."""
    return re.compile(lowercase(source))


def lowercase(source: str) -> str:
    """Return the regular expression `source` with its literals in lower case and its escapes as they are."""
    return re.sub(r"\\.|[^\\]+", _lowercase_literals, source, flags=re.DOTALL)


def one_of(words: str) -> str:
    """Return a regular expression for one of the words in `words`, each of them a regular expression itself."""
    return f"(?:{'|'.join(words.split())})"


def _lowercase_literals(part: re.Match[str]) -> str:
    return part[0] if part[0].startswith("\\") else part[0].lower()
