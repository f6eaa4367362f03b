"""Says what was cut out of a text before it was stored: the kinds of secrets, never the secrets."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from typing import Any

from memoryserver.common.redaction import redact_value

_PLACEHOLDER = re.compile(r"\[redacted:([\w-]+)\]")


def note(counts: Mapping[str, int]) -> str:
    """Return the `counts` of a `Redacted` as a sentence without its stop, "" if nothing was cut out."""
    kinds = ", ".join(kind if number == 1 else f"{number} {kind}" for kind, number in counts.items())
    return f"cut out as secret: {kinds}; the rest is stored" if kinds else ""


def note_of(*values: Any) -> str:
    """Return the same about what `redact_value` cuts out of `values`."""
    return note(_kinds([redact_value(value) for value in values]) - _kinds(values))


def _kinds(value: object) -> Counter[str]:
    return Counter(_PLACEHOLDER.findall(repr(value)))
